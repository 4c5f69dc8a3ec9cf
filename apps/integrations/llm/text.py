"""A question answered in prose (contract §3.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Unpack

from apps.integrations.llm.asking import AskOptions, ask_once, attempted, delays
from apps.integrations.llm.failures import empty_answer

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class TextAnswer:
    """``cut`` means that the model ran out of room: the text is a beginning, not the whole."""

    text: str = field(repr=False)
    cut: bool
    model: str


def chat_text(messages: list[Json], *, purpose: str, **options: Unpack[AskOptions]) -> TextAnswer:
    """The model's words, never empty. Raises :class:`LlmFailure` once the retries are used up."""

    def attempt() -> TextAnswer:
        reply = ask_once(messages, purpose=purpose, options=options)
        text = (reply.text or "").strip()
        if not text:
            raise empty_answer()
        return TextAnswer(text=text, cut=reply.finish_reason == "length", model=reply.model)

    return attempted(attempt, purpose=purpose, delays_ms=delays(options))
