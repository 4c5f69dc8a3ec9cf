"""A playbook that says everything differently."""

from __future__ import annotations

import re
from typing import Any

from apps.agent.prompts.registry import BASE


def reworded(book: dict[str, Any]) -> dict[str, Any]:
    """The same placeholders and conditions, and not one of our sentences."""
    texts = {key: _texts(key, text) for key, text in book["defaults"].items()}
    lines = {
        builder: [
            {**line, "text": f"- <{builder}.{line['id']}> " + " ".join(re.findall(r"\{\w+\}", line["text"]))}
            for line in entries
        ]
        for builder, entries in book["lines"].items()
    }
    phases = {
        name: f"<phase {name}> " + " ".join(re.findall(r"\{\{\w+\}\}", text))
        for name, text in book["phases"].items()
    }
    return {"version": 1, "defaults": texts, "lines": lines, "phases": phases}


def _texts(key: str, text: str) -> str:
    asked = re.findall(r"\{\{\w+\}\}", text)
    gap = "\n" if key == BASE else " "
    return gap.join([f"<{key}>", *dict.fromkeys(asked)])
