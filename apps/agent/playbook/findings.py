"""What is wrong with a playbook, and what may be meant but loses something, as sentences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from apps.foundation.errors import BadInput
from apps.foundation.text import one_line

MOST_MISTAKES: Final = 200
MOST_LISTED: Final = 20


@dataclass(frozen=True)
class Findings:
    """Collected while a file is read. ``wrong`` stops an import, ``doubtful`` does not.

    So many mistakes that nobody would read them end the reading: naming each costs time.
    """

    wrong: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)

    def error(self, where: str, sentence: str) -> None:
        """Something that cannot be imported."""
        self.wrong.append(f"{where} {sentence}")
        if len(self.wrong) > MOST_MISTAKES:
            raise BadInput(f"More than {MOST_MISTAKES} mistakes. The first: {self.wrong[0]}")

    def warn(self, where: str, sentence: str) -> None:
        """Something that can be imported, with a loss."""
        self.doubtful.append(f"{where} {sentence}")


def place(*steps: str | int) -> str:
    """Where in the file: ``defaults["slack.footer"]``."""
    first, *rest = steps
    return str(first) + "".join(
        f"[{step}]" if isinstance(step, int) else f'["{one_line(step, limit=80)}"]' for step in rest
    )


def unknown(what: str, known: Iterable[str], *, given: str) -> str:
    """``is no prompt (perhaps slack.footer is meant).``"""
    close = difflib.get_close_matches(given[:200], list(known), n=1)
    return f"is no {what} (perhaps {close[0]} is meant)." if close else f"is no {what}."


def listed(names: Iterable[str]) -> str:
    """``{{a}}, {{b}}``, in a stable order; of very many the first few."""
    ordered = sorted(names)
    more = len(ordered) - MOST_LISTED
    shown = ", ".join(name[:100] for name in ordered[:MOST_LISTED])
    return f"{shown} and {more} more" if more > 0 else shown
