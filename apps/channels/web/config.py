"""The typed view of the web channel's configuration (contract §2.3)."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

_Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class WebPerson(BaseModel):
    """Somebody the test page offers to ask as."""

    model_config = ConfigDict(frozen=True)

    email: Annotated[_Line, Field(pattern=r"@")]
    name: str = Field("", max_length=200, validation_alias=AliasChoices("name", "display_name"))
    tier: str = Field("", max_length=64)
    note: str = Field("", max_length=200)

    @property
    def label(self) -> str:
        return " · ".join(part for part in (self.name, self.tier, self.note) if part)


class WebChannelConfig(BaseModel):
    """What the page shows besides the conversation; every part is optional."""

    model_config = ConfigDict(frozen=True)

    title: _Line | None = None
    examples: list[_Line] = Field(default_factory=list, max_length=12)
    people: list[WebPerson] = Field(default_factory=list, max_length=100)
    # Whom the page asks as until its reader chooses; without one, as nobody in particular.
    ask_as: Annotated[_Line, Field(pattern=r"@")] | None = None

    @classmethod
    def read(cls, stored: Any) -> Self:
        """Reads what is stored; a malformed part counts as unset, so that the page always opens."""
        values = dict(stored) if isinstance(stored, dict) else {}
        for _ in range(len(values) + 1):
            try:
                return cls.model_validate(values)
            except ValidationError as error:
                for problem in error.errors():
                    values.pop(str(problem["loc"][0]), None)
        return cls()
