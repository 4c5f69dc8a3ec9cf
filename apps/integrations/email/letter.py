"""A mail as it is handed to a carrier: plain text and its HTML twin (contract §8.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from email.utils import formataddr

from apps.foundation.html import render_markdown
from apps.foundation.text import clean, one_line
from apps.tenancy.context import current_tenant

SUBJECT_CHARS = 200


@dataclass(frozen=True, kw_only=True)
class Letter:
    """One mail. ``key`` is the same whenever this very mail is sent again."""

    key: str
    to: str
    subject: str
    text: str = field(repr=False)
    html: str = field(repr=False)


def letter(*, key: str, to: str, subject: str | None, text: str) -> Letter:
    """Prose or Markdown as a mail; without a subject it says who writes."""
    given = one_line(subject or "", limit=SUBJECT_CHARS)
    return Letter(
        key=key,
        to=to,
        subject=given or f"A message from {one_line(current_tenant().agent_name)}",
        text=clean(text),
        html=render_markdown(text),
    )


def sender(alias: object, *, domain: str) -> str:
    """Who writes: the community's alias at the platform's domain, else its name there."""
    tenant = current_tenant()
    name = one_line(alias) if isinstance(alias, str) and alias.strip() else tenant.slug
    return formataddr((one_line(tenant.agent_name), f"{name}@{domain}"), charset="utf-8")
