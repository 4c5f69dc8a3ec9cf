"""A turn's outcome in the words of the wire (contract §8.4)."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from apps.agent.turns import TurnOutcome
from apps.foundation.html import render_markdown, safe_link
from apps.integrations.llm.metering import UsageTotals
from apps.integrations.rootint.images import ToolImage

# An answer stands below the page's own headings.
HEADING_SHIFT = 2


def plain_body(outcome: TurnOutcome) -> dict[str, Any]:
    """What every caller of a turn gets."""
    return {
        "response": outcome.response,
        "success": outcome.success,
        "tool_calls": [
            {"name": c.name, "args": c.args, "success": c.success, "duration_ms": c.duration_ms}
            for c in outcome.tool_calls
        ],
        "images": [picture(image) for image in outcome.images],
        "trace_id": outcome.trace_id,
        "thread_key": outcome.thread_key,
        "usage": usage_body(outcome.usage),
    }


def usage_body(usage: UsageTotals) -> dict[str, Any]:
    """What it cost."""
    return {"llm_calls": usage.llm_calls, "tokens": usage.tokens, "cost_usd": usage.cost_usd}


def web_body(outcome: TurnOutcome) -> dict[str, Any]:
    """What the web chat gets: the plain body, the answer as safe HTML, and its sources."""
    sources = [{"title": s.title, "url": s.url, "kind": s.kind, "ref": s.ref} for s in outcome.sources]
    return {
        **plain_body(outcome),
        "response_html": answer_html(outcome.response),
        "sources": [safe_source(source) for source in sources],
    }


def picture(image: ToolImage) -> dict[str, str]:
    """A tool's picture as callers get it."""
    return {
        "name": image.name,
        "content_type": image.content_type,
        "base64": base64.b64encode(image.data).decode(),
    }


def answer_html(text: str) -> str:
    """The model's Markdown as HTML a page may show."""
    return render_markdown(text, heading_shift=HEADING_SHIFT)


def safe_source(source: Mapping[str, Any]) -> dict[str, Any]:
    """One source with its address kept only if a page may link to it."""
    url = source.get("url")
    return {
        "title": str(source.get("title") or ""),
        "url": safe_link(url) if isinstance(url, str) else None,
        "kind": str(source.get("kind") or ""),
        "ref": str(source.get("ref") or ""),
    }
