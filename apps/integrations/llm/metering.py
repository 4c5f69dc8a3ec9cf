"""What model calls cost: a row for each call, and the running totals of one request (contract §3.1)."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.db import Error as DatabaseError

from apps.tenancy.usage import record_llm_usage

_LARGEST = 2**31 - 1  # what the columns hold
_DEAREST = 99_999.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens and cost of one call, as far as the provider told."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, kw_only=True)
class UsageTotals:
    """``llm_calls`` counts chat completions; tokens and cost include embeddings."""

    llm_calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class UsageCollector:
    """Sums the calls of one request. Mutable and shared: contexts copied into threads add to the same one."""

    def __init__(self, *, outer: UsageCollector | None = None) -> None:
        self._outer = outer
        self._lock = threading.Lock()
        self._totals = UsageTotals()

    def add(self, usage: Usage, *, llm_calls: int) -> None:
        with self._lock:
            self._totals = UsageTotals(
                llm_calls=self._totals.llm_calls + llm_calls,
                tokens=self._totals.tokens + usage.total_tokens,
                cost_usd=self._totals.cost_usd + usage.cost_usd,
                prompt_tokens=self._totals.prompt_tokens + usage.prompt_tokens,
                completion_tokens=self._totals.completion_tokens + usage.completion_tokens,
            )
        if self._outer is not None:
            self._outer.add(usage, llm_calls=llm_calls)

    def totals(self) -> UsageTotals:
        with self._lock:
            return self._totals


_collector: ContextVar[UsageCollector | None] = ContextVar("root_usage_collector", default=None)


@contextmanager
def collecting() -> Iterator[UsageCollector]:
    """Collects the usage of the block; a collector around it sees the same calls."""
    collector = UsageCollector(outer=_collector.get())
    token = _collector.set(collector)
    try:
        yield collector
    finally:
        _collector.reset(token)


@contextmanager
def exit_usage_collection() -> Iterator[None]:
    """Work the platform does for itself: rows are still written, the requester's totals stay as they are."""
    token = _collector.set(None)
    try:
        yield
    finally:
        _collector.reset(token)


def record(usage: Usage, *, purpose: str, model: str, llm_calls: int) -> None:
    """Adds one call to the active collector and to the tenant's usage table."""
    collector = _collector.get()
    if collector is not None:
        collector.add(usage, llm_calls=llm_calls)
    try:
        record_llm_usage(
            purpose=purpose,
            model=model,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            total_tokens=usage.total_tokens,
            cost_usd=usage.cost_usd,
        )
    except DatabaseError:
        # The answer is there and paid for; losing it as well would help nobody.
        _log.exception("usage of a %s call could not be stored", purpose)


def read_usage(raw: Any) -> Usage:
    """The usage block of an answer; missing or senseless numbers count as zero."""
    block = raw if isinstance(raw, dict) else {}
    prompt, completion = _count(block.get("prompt_tokens")), _count(block.get("completion_tokens"))
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=_count(block.get("total_tokens")) or min(prompt + completion, _LARGEST),
        cost_usd=_money(_cost(block.get("cost"))),
    )


def _cost(value: Any) -> Any:
    """A number, or in Perplexity's answers an itemised bill with a sum."""
    return value.get("total_cost") if isinstance(value, dict) else value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return min(max(int(value), 0), _LARGEST)


def _money(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(max(float(value), 0.0), _DEAREST)
