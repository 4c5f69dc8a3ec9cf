"""What the OpenAPI document says of the whole API (contract §12.2). Settings read it: nothing is imported here."""

from __future__ import annotations

from typing import Any

SETTINGS: dict[str, Any] = {
    "TITLE": "Root platform API",
    "DESCRIPTION": (
        "Everything a community's own programs may do: search and feed its knowledge, run its agent as a person,"
        " call its tools, send messages. Each key opens one community in one environment."
    ),
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": ["apps.api.document.bodies_are_required"],
    "PREPROCESSING_HOOKS": ["apps.api.document.only_the_api"],
    "SERVERS": [{"url": "/", "description": "This installation"}],
}
