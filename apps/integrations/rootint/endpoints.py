"""Where a backend answers, and how long each answer may take (contract §7.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from apps.foundation.errors import BadInput
from apps.integrations.models import Integration

EndpointKey = Literal[
    "manifest", "tool_invoke", "identity_resolve", "identity_roster", "links_issue", "escalations"
]
MAX_PATH_LENGTH = 512
# "\s" does not cover every character a URL parser would choke on; controls count as space here.
_SPACE = re.compile(r"[\s\x00-\x1f\x7f]")
# ":name" stands for the tool; ":names" would be an ordinary word.
_PLACEHOLDER = re.compile(r":name(?![A-Za-z0-9_])")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One row of the protocol's table."""

    path: str
    method: Literal["GET", "POST"]
    timeout_seconds: float


ENDPOINTS: Mapping[EndpointKey, Endpoint] = {
    "manifest": Endpoint("/integration/manifest", "GET", 15),
    "tool_invoke": Endpoint("/integration/tools/:name", "POST", 120),
    "identity_resolve": Endpoint("/integration/identity/resolve", "POST", 10),
    "identity_roster": Endpoint("/integration/identity/roster", "GET", 30),
    "links_issue": Endpoint("/integration/links/issue", "POST", 10),
    "escalations": Endpoint("/integration/escalations", "POST", 120),
}


def check_endpoint_paths(offered: Any) -> dict[str, str]:
    """Overridden paths as they may be stored; raises :class:`BadInput` with a sentence."""
    if offered is None:
        return {}
    if not isinstance(offered, dict):
        raise BadInput("endpoint_paths must be an object of paths.")
    return {_check_key(key): _check_path(key, path) for key, path in offered.items()}


def url_for(integration: Integration, key: EndpointKey, *, tool: str = "") -> str:
    """The full address of an endpoint; a tool's name is escaped into it."""
    stored = integration.endpoint_paths
    path = stored.get(key) if isinstance(stored, dict) else None
    chosen = ENDPOINTS[key].path if path is None else _check_path(key, path)
    if key == "tool_invoke":
        chosen = _PLACEHOLDER.sub(lambda _: quote(tool, safe=""), chosen)
    return str(integration.base_url).rstrip("/") + chosen


def _check_key(key: Any) -> str:
    if key not in ENDPOINTS:
        raise BadInput(f"endpoint_paths knows only these keys: {', '.join(ENDPOINTS)}.")
    return str(key)


def _check_path(key: str, path: Any) -> str:
    if not isinstance(path, str) or not path.startswith("/") or _SPACE.search(path):
        raise BadInput(f"The path for {key} must start with / and contain no spaces.")
    if len(path) > MAX_PATH_LENGTH:
        raise BadInput(f"The path for {key} is longer than {MAX_PATH_LENGTH} characters.")
    if key == "tool_invoke" and not _PLACEHOLDER.search(path):
        raise BadInput("The path for tool_invoke must contain :name.")
    return path
