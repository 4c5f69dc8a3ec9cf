"""Is a text an answer, nothing in disguise, or a plan?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.agent.kernel.classify import is_plan_shaped, non_answer_reason

# Letters and signs that are drawn as nothing at all.
BLANKS = ["\u3164", "\u115f\u1160", "\uffa0", "\u2800\u2800", "\u034f", "\u17b4", "\U000e0041"]
FOOTERS = [
    "Sources: Handbook",
    "_Sources: <https://x.example/a|read more>, <https://x.example/b|read more>_",
    "**Sources:**\n- [Handbook](https://x.example)\n- [Rules](https://x.example/r)",
    "### Sources\n1. Handbook\n2. Rules",
    "📚 Source:\n• <https://x.example|Handbook>",
    "References:\n[1] https://x.example",
    "---\nSources:\nhttps://x.example",
]


@pytest.mark.parametrize(
    "text", ["", None, " \n\t", "\u200b\u2060\ufeff", "...", "**", "```\n```", "—", *BLANKS]
)
def test_empty(text: str | None) -> None:
    assert non_answer_reason(text, tools_ran=False) == "empty"


@pytest.mark.parametrize(
    "text", ["👍", "🎉🎉!", ":wave:", ":+1:", "👩🏽‍💻", "🇩🇪", "1️⃣", "ℹ️", "❤️", ":white_check_mark: ✅", "© …"]
)
def test_emoji_only(text: str) -> None:
    assert non_answer_reason(text, tools_ran=True) == "emoji_only"


@pytest.mark.parametrize("text", FOOTERS)
def test_sources_only(text: str) -> None:
    assert non_answer_reason(text, tools_ran=True) == "sources_only"


@pytest.mark.parametrize("footer", FOOTERS)
def test_an_answer_with_a_footer_is_an_answer(footer: str) -> None:
    assert non_answer_reason(f"The office opens at nine.\n\n{footer}", tools_ran=True) is None


@pytest.mark.parametrize(
    "text",
    [
        "Sources of funding are grants and membership fees.",
        "Sources:\nThe board published these figures in spring and they were checked twice.",
        "Resources are listed in the handbook of the lab.",
    ],
)
def test_prose_about_sources_is_an_answer(text: str) -> None:
    assert non_answer_reason(text, tools_ran=True) is None


@pytest.mark.parametrize(
    ("length", "tools_ran", "reason"),
    [(19, True, "trivially_short_after_tools"), (20, True, None), (19, False, None), (1, False, None)],
)
def test_short_counts_only_after_tools(length: int, tools_ran: bool, reason: str | None) -> None:
    assert non_answer_reason(f"  {'a' * length}\n", tools_ran=tools_ran) == reason


@pytest.mark.parametrize("text", ["42", "Da.", "はい", "٣", "Ⅷ"])
def test_one_word_in_any_script_has_words(text: str) -> None:
    assert non_answer_reason(text, tools_ran=False) is None


@pytest.mark.parametrize("blank", BLANKS)
def test_blanks_do_not_make_an_answer_longer(blank: str) -> None:
    assert non_answer_reason(f"Yes.{blank * 30}", tools_ran=True) == "trivially_short_after_tools"


@given(st.text(), st.booleans())
def test_any_text_can_be_judged(text: str, tools_ran: bool) -> None:
    non_answer_reason(text, tools_ran=tools_ran)
    is_plan_shaped(text)


def bullets(count: int, *, length: int = 20, mark: str = "-") -> str:
    return "\n".join(f"{mark} {'b' * length}" for _ in range(count))


@pytest.mark.parametrize("mark", ["-", "*", "•", "+", "1.", "2)", "–"])
def test_a_plan_with_any_bullet(mark: str) -> None:
    assert is_plan_shaped(f"Looking things up.\n{bullets(5, mark=mark)}")


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        (bullets(3), True),
        (bullets(2), False),
        (bullets(3, length=60), True),
        (bullets(3, length=61), False),
        (f"{bullets(3)}\n{'t' * 80}", True),
        (f"{bullets(3)}\n{'t' * 81}", False),
        (f"{'l' * 700}\n{bullets(3)}", False),
        ("", False),
        ("Just prose - with a dash - and another - in it.", False),
    ],
)
def test_the_limits_of_a_plan(text: str, plan: bool) -> None:
    assert is_plan_shaped(text) is plan


def test_seven_hundred_characters_are_the_most() -> None:
    plan = bullets(3)
    lead = "l" * (700 - len(plan) - 1)
    assert is_plan_shaped(f"{lead}\n{plan}")
    assert not is_plan_shaped(f"l{lead}\n{plan}")


def test_no_plan_without_a_text() -> None:
    assert not is_plan_shaped(None)


@pytest.mark.parametrize(
    "text",
    [
        "Source: the hall is open from nine to five on weekdays.",
        "References: we ask every new member for two, one from the hall.",
    ],
)
def test_a_sentence_behind_the_word_is_an_answer(text: str) -> None:
    assert non_answer_reason(text, tools_ran=True) is None


@pytest.mark.parametrize(
    "text", ["Source: Handbook, page 3.", "Sources: the handbook.", "References: https://a.example."]
)
def test_a_title_behind_it_is_none(text: str) -> None:
    assert non_answer_reason(text, tools_ran=True) == "sources_only"
