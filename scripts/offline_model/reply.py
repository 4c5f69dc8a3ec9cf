"""What the offline model answers, before it is put into the shape of the wire."""

from __future__ import annotations

from dataclasses import dataclass

CLOSING = "No language model is connected: this answer quotes what was found, word for word."


@dataclass(frozen=True, kw_only=True)
class Call:
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class Reply:
    text: str
    calls: tuple[Call, ...] = ()
    closing: bool = False  # an answer says who did not write it

    @property
    def full_text(self) -> str:
        return f"{self.text}\n\n_{CLOSING}_" if self.closing else self.text
