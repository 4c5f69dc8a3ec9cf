"""How a request names a person: by exactly one of three names (contract §12.2)."""

from __future__ import annotations

from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from apps.api.reading import NO_NUL, Body, Query

NAMES: Final = ("ref", "email", "slack_user_id")
Ref = Annotated[str, StringConstraints(pattern=NO_NUL, min_length=1, max_length=256)]
Email = Annotated[str, StringConstraints(pattern=NO_NUL, min_length=1, max_length=254)]
SlackId = Annotated[str, StringConstraints(pattern=NO_NUL, min_length=1, max_length=64)]


def said_exactly_one(schema: dict[str, Any]) -> None:
    """Writes the rule into a schema: one name is there, and none is null."""
    names = [name for name in NAMES if name in schema["properties"]]
    for name in names:
        shape = schema["properties"][name]
        (given,) = (option for option in shape.pop("anyOf") if option.get("type") != "null")
        shape.pop("default")
        shape.update(given)
    schema["oneOf"] = [{"required": [name]} for name in names]


class OneName(BaseModel):
    """A shape in which exactly one of the names it has is given."""

    model_config = ConfigDict(json_schema_extra=said_exactly_one)

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        known = [name for name in NAMES if name in type(self).model_fields]
        given = self.named()
        if len(given) != 1 or self.model_fields_set & set(known) != given.keys():
            raise ValueError(f"name the person by exactly one of {', '.join(known)}")
        return self

    def named(self) -> dict[str, str]:
        """The one name, as services take it."""
        return {name: value for name in NAMES if (value := getattr(self, name, None)) is not None}


class ByAddress(OneName):
    """Somebody's mail address or Slack id."""

    email: Annotated[Email | None, Field(description="A mail address, in any spelling.")] = None
    slack_user_id: Annotated[SlackId | None, Field(description="A Slack user id.")] = None


class ByOneName(ByAddress):
    """Somebody's reference, mail address or Slack id; the others stay away."""

    ref: Annotated[Ref | None, Field(description="The stable reference.", examples=["p-ada"])] = None


class PersonNamed(ByOneName, Body):
    """A person within a body."""


class PersonQuery(ByOneName, Query):
    """A person behind the question mark."""
