"""The instruction of a round can be said in other words, and always knows which round it is."""

from __future__ import annotations

import pytest

from apps.agent.kernel.phases import BUILT_IN, PhaseTexts, instruction
from apps.agent.kernel.types import Phase

OTHER = PhaseTexts(
    planning="P {{round}}/{{mostRounds}} {x} {{y}} %s", last_planning="Last: {{round}}.", answer="A {0}"
)


def said(phase: Phase, *, number: int, texts: PhaseTexts = BUILT_IN) -> str:
    message = instruction(phase, number=number, most=2, texts=texts)
    assert message["role"] == "system"
    return str(message["content"])


@pytest.mark.parametrize(
    ("phase", "number", "expected"),
    [
        ("planning", 1, "P 1/2 {x} {{y}} %s"),
        ("planning", 2, "P 2/2 {x} {{y}} %s\nLast: 2."),
        ("planning", 3, "P 3/2 {x} {{y}} %s\nLast: 3."),
        ("answer", 3, "A {0}"),
    ],
)
def test_other_words(phase: Phase, number: int, expected: str) -> None:
    assert said(phase, number=number, texts=OTHER) == expected


def test_nothing_for_the_last_round_adds_nothing() -> None:
    assert said("planning", number=2, texts=PhaseTexts(planning="P", last_planning="")) == "P"


def test_our_own_words_are_filled() -> None:
    for number in (1, 2):
        assert f"PLANNING ROUND {number} of at most 2." in said("planning", number=number)
        assert "{{" not in said("planning", number=number)
    assert "last round" in said("planning", number=2)
    assert "last round" not in said("planning", number=1)
    assert said("answer", number=2) == BUILT_IN.answer
