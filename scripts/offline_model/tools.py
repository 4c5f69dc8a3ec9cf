"""The tools on offer, seen through the words they use about themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scripts.offline_model.words import stems, vocabulary, words

Json = dict[str, Any]

KNOWLEDGE = "search_knowledge_base"
_READING = vocabulary(
    """
    search list find get show look lookup browse check read fetch view describe compare count who what which
    where export report is
    """
)
_CHANGING = vocabulary(
    """
    book cancel create update delete remove add save set send start stop post request escalate pause resume
    forget remember submit print register invite refresh open close edit change move schedule approve reject
    upload pay order reserve join leave publish reset assign
    """
)
VERBS = _READING | _CHANGING
# What people say when they mean the verb in the tool's name, or the thing it is about.
_SAID_FOR = {
    "book": {"reserve"},
    "create": {"make", "add", "remind", "set"},
    "remember": {"note", "save"},
    "escalate": {"forward", "hand", "talk", "speak"},
    "cancel": {"drop", "delete"},
    "send": {"write", "message"},
}
_ALSO_CALLED = {"admin": {"human", "team", "staff", "person", "organiser", "organizer"}}


@dataclass(frozen=True, kw_only=True)
class OfferedTool:
    name: str
    description: str
    parameters: Json

    @cached_property
    def name_words(self) -> list[str]:
        return words(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name).replace("_", " ").replace("-", " "))

    @property
    def changes_something(self) -> bool:
        """Judged by its name, the only sign on the wire; in doubt yes, so that nothing happens unasked."""
        verbs = [word for word in self.name_words if word in _CHANGING or word in _READING]
        if verbs:
            return verbs[0] in _CHANGING
        return not self.description.lower().startswith(
            ("find", "list", "look", "search", "show", "get", "whether")
        )

    @property
    def verbs(self) -> frozenset[str]:
        """Words that, said as a request, mean this tool."""
        own = {word for word in self.name_words if word in _CHANGING}
        return frozenset(own).union(*(_SAID_FOR.get(word, set()) for word in own))

    @cached_property
    def object_stems(self) -> frozenset[str]:
        """What the tool is about, by its name alone."""
        about = [word for word in self.name_words if word not in VERBS]
        return stems(" ".join([*about, *(other for word in about for other in _ALSO_CALLED.get(word, ()))]))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Every word the tool uses about itself."""
        return stems(f"{' '.join(self.name_words)} {self.description} {' '.join(self._parameter_words())}")

    @cached_property
    def phrase(self) -> str:
        """The name as somebody might happen to say it."""
        return " ".join(self.name_words)

    @property
    def properties(self) -> dict[str, Json]:
        found = self.parameters.get("properties")
        found = found if isinstance(found, dict) else {}
        return {name: schema for name, schema in found.items() if isinstance(schema, dict)}

    @property
    def required(self) -> list[str]:
        found = self.parameters.get("required")
        return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []

    @property
    def summary(self) -> str:
        """What is embedded to compare it with a question."""
        return f"{' '.join(self.name_words)}: {self.description}"[:1_000]

    @property
    def label(self) -> str:
        return subject(self.name)

    def _parameter_words(self) -> list[str]:
        found = []
        for name, schema in self.properties.items():
            values = schema.get("enum")
            found += [name.replace("_", " "), str(schema.get("description", ""))]
            found += [str(value) for value in values] if isinstance(values, list) else []
        return found


def read_tools(raw: list[Json]) -> list[OfferedTool]:
    return [_tool(entry["function"]) for entry in raw]


def subject(name: str) -> str:
    """`list_room_availability` as people would say it: Room availability."""
    said = [word for word in name.replace("-", "_").split("_") if word]
    if len(said) > 1 and said[0].lower() in {
        "list",
        "get",
        "find",
        "search",
        "show",
        "fetch",
        "lookup",
        "read",
    }:
        said = said[1:]
    text = " ".join("your" if word == "my" else word for word in said).strip()
    return text[:1].upper() + text[1:] if text else "Tool"


def _tool(function: Json) -> OfferedTool:
    description, parameters = function.get("description"), function.get("parameters")
    return OfferedTool(
        name=function["name"],
        description=description if isinstance(description, str) else "",
        parameters=parameters if isinstance(parameters, dict) else {},
    )
