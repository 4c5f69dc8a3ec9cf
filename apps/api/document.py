"""The OpenAPI document: how shapes and keys are described in it (contract §12.2)."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentIdentity, ResolvedComponent
from drf_spectacular.utils import Direction

REFERENCE = "#/components/schemas/{model}"


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Bearer keys."""

    target_class = "apps.api.authentication.BearerKey"
    name = "key"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """How a key is sent."""
        return {"type": "http", "scheme": "bearer", "description": "A key of the community, `rpk_…`."}


class Shapes(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Pydantic shapes: a request's as it is checked, an answer's as it is sent."""

    target_class = "pydantic.BaseModel"
    match_subclasses = True
    priority = 1

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str:
        """The class's own name; generic ones without their brackets."""
        return _named(self.target.__name__)

    def get_identity(self, auto_schema: AutoSchema, direction: Direction) -> Any:
        """One component a class."""
        return ComponentIdentity(self.target)  # type: ignore[no-untyped-call]

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """The shape's JSON schema, its parts registered as components of their own."""
        schema: dict[str, Any] = self.target.model_json_schema(
            ref_template=REFERENCE, mode="validation" if direction == "request" else "serialization"
        )
        for name, part in schema.pop("$defs", {}).items():
            component = ResolvedComponent(  # type: ignore[no-untyped-call]
                name=_named(name), type=ResolvedComponent.SCHEMA, object=name, schema=part
            )
            auto_schema.registry.register_on_missing(component)
        return schema


def only_the_api(endpoints: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Of all addresses of this installation, those programs call."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith("/api/v1/")]


def bodies_are_required(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """An operation that takes a body refuses a request without one, even if no field of it is needed."""
    for methods in result["paths"].values():
        for described in methods.values():
            if "requestBody" in described:
                described["requestBody"]["required"] = True
    return result


def _named(name: str) -> str:
    return name.replace("[", "_").replace("]", "").replace(", ", "_")
