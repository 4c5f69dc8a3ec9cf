"""A question answered in a fixed form, repaired by the model itself where it must be (contract §3.1)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar, Unpack, cast, overload

from pydantic import BaseModel

from apps.foundation.environment import env
from apps.foundation.ttl_cache import TtlCache
from apps.integrations.llm.asking import AskOptions, ask_once, attempted, delays
from apps.integrations.llm.chat_reply import ChatReply
from apps.integrations.llm.failures import LlmFailure, unstructured
from apps.integrations.llm.json_extraction import json_values
from apps.integrations.llm.json_form import Form, Misfit, form_of_model, form_of_schema
from apps.integrations.llm.roles import model_for

Json = dict[str, Any]
T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

MAX_REPAIRS: Final = 3
BASE_TOKENS: Final = 8_000
MOST_TOKENS: Final = 96_000
_SHOWN_BACK: Final = 8_000
# How providers say that they do not know response_format, or cannot take this schema.
_FORMAT_REFUSED: Final = frozenset({400, 404, 422})

# Models of which it is known, for an hour, that the form must be asked for in words alone.
_words_only: TtlCache[str, bool] = TtlCache(3_600, 256)


@overload
def chat_json(messages: list[Json], form: type[M], *, purpose: str, **options: Unpack[AskOptions]) -> M: ...


@overload
def chat_json(messages: list[Json], form: Json, *, purpose: str, **options: Unpack[AskOptions]) -> Any: ...


def chat_json(
    messages: list[Json], form: type[BaseModel] | Json, *, purpose: str, **options: Unpack[AskOptions]
) -> Any:
    """A value that fits the pydantic model or JSON Schema: at most one answer and three repairs.

    Raises :class:`LlmFailure`: ``unstructured`` when the last repair does not fit either.
    """
    wanted: Form[Any] = form_of_schema(form) if isinstance(form, dict) else form_of_model(form)
    return _Conversation(messages, form=wanted, purpose=purpose, options=options).value()


@dataclass
class _Conversation(Generic[T]):
    """The question, and after a misfit the last faulty answer with what is wrong about it."""

    messages: list[Json] = field(repr=False)
    form: Form[T] = field(kw_only=True)
    purpose: str = field(kw_only=True)
    options: AskOptions = field(kw_only=True, repr=False)
    format_refused: bool = field(default=False, init=False)

    def value(self) -> T:
        correction: list[Json] = []
        for budget in self._budgets():
            reply = self._ask(correction, budget=budget)
            try:
                return _read(reply, form=self.form)
            except Misfit as misfit:
                correction = _correction(reply, problems=misfit.problems)
        raise unstructured()

    def _budgets(self) -> list[int]:
        """The base, then twice as much: an answer that does not fit has often just run out of room."""
        base = min(self.options.get("max_tokens") or env().llm_max_tokens or BASE_TOKENS, MOST_TOKENS)
        return [base] + [min(base * 2, MOST_TOKENS)] * MAX_REPAIRS

    def _ask(self, correction: list[Json], *, budget: int) -> ChatReply:
        talk = [*self.messages, _instruction(self.form.schema), *correction]
        return attempted(
            lambda: self._attempt(talk, budget=budget), purpose=self.purpose, delays_ms=delays(self.options)
        )

    def _attempt(self, talk: list[Json], *, budget: int) -> ChatReply:
        options = cast(AskOptions, {**self.options, "max_tokens": budget})
        model = options.get("model") or model_for(options.get("role", "default"))
        if not self.format_refused and not _words_only.get(model):
            try:
                return ask_once(
                    talk, purpose=self.purpose, options=options, response_format=self.form.response_format
                )
            except LlmFailure as failure:
                if failure.status not in _FORMAT_REFUSED:
                    raise
                self.format_refused = True
        reply = ask_once(talk, purpose=self.purpose, options=options)
        if self.format_refused:
            # Only now is it certain that the format was the trouble and not the question.
            _words_only.put(model, True)
        return reply


def _read(reply: ChatReply, *, form: Form[T]) -> T:
    """The likeliest value that fits. Of a cut answer only the whole counts, and it is seldom there."""
    cut = reply.finish_reason == "length"
    problems: list[str] = []
    for value in json_values(reply.text or "", whole=cut):
        try:
            return form.check(value)
        except Misfit as misfit:
            problems = problems or misfit.problems
    if cut:
        problems = ["the answer was cut off before its end; keep every text in it as short as you can"]
    raise Misfit(problems or ["there is no complete JSON value in the answer"])


def _instruction(schema: Json) -> Json:
    """Said in words too: not every provider holds the model to the schema it was sent."""
    written = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    content = (
        "Answer with a single JSON value and nothing around it: no explanation, no code fence. "
        f"It must satisfy this JSON Schema:\n{written}"
    )
    return {"role": "system", "content": content}


def _correction(reply: ChatReply, *, problems: list[str]) -> list[Json]:
    said = (reply.text or "").strip()[:_SHOWN_BACK]
    listed = "\n".join(f"- {problem}" for problem in problems)
    request = f"That answer cannot be used:\n{listed}\nSend the corrected JSON value, whole and alone."
    echo = [{"role": "assistant", "content": said}] if said else []
    return [*echo, {"role": "user", "content": request}]
