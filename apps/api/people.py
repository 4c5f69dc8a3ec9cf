"""Whom an operation is for: one of a reference, an address or a Slack id (contract §12.2)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from apps.agent.turn_values import Caller
from apps.api.reading import Body, Name

_LOCAL = r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}"
_PART = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
# Narrower than what mail allows and all that anybody uses; every such address is one to the rest of Root.
Email = Annotated[
    str,
    StringConstraints(max_length=254, pattern=rf"^{_LOCAL}@{_PART}(?:\.{_PART}){{1,8}}$"),
    Field(examples=["ada@harbour.example"]),
]
SlackUserId = Annotated[
    str, StringConstraints(pattern=r"^[UW][A-Z0-9]{1,30}$"), Field(examples=["U024BE7LH"])
]
_NAMES = ("ref", "email", "slack_user_id")


def _exactly_one(schema: dict[str, Any]) -> None:
    """Three whole objects with one field each: what is said by ``required`` alone, generators of clients miss."""
    fields = schema.pop("properties")
    for said in ("type", "additionalProperties"):
        schema.pop(said, None)
    schema["oneOf"] = [_only(name, fields[name]) for name in _NAMES]


def _only(name: str, field: dict[str, Any]) -> dict[str, Any]:
    (text,) = [option for option in field["anyOf"] if option["type"] != "null"]
    return {
        "type": "object",
        "properties": {name: {**text, "title": field["title"]}},
        "required": [name],
        "additionalProperties": False,
    }


class PrincipalChosen(Body):
    """The person. Exactly one of the three says who: your own reference, an e-mail address, a Slack user id."""

    model_config = ConfigDict(json_schema_extra=_exactly_one)
    ref: Name | None = None
    email: Email | None = None
    slack_user_id: SlackUserId | None = None

    @model_validator(mode="after")
    def _one(self) -> PrincipalChosen:
        if len(self.model_fields_set) != 1 or not any((self.ref, self.email, self.slack_user_id)):
            raise ValueError("say exactly one of ref, email and slack_user_id")
        return self

    def caller(self) -> Caller:
        """As a turn knows them."""
        return Caller(ref=self.ref, email=self.email, slack_user_id=self.slack_user_id)
