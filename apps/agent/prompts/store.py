"""The words in force: the platform's with a community's additions, kept with their versions (contract §4.5)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from uuid import UUID

from django.db import transaction

from apps.agent.models import RootPrompt, RootPromptVersion
from apps.agent.prompts.platform import platform_wording
from apps.agent.prompts.registry import CHARACTER_KEYS, prompt
from apps.agent.prompts.wording import Wording
from apps.foundation.clock import now
from apps.foundation.errors import BadInput
from apps.foundation.text import clean, one_line
from apps.foundation.ttl_cache import TtlCache
from apps.tenancy.context import current_tenant_id

CACHE_SECONDS = 60
LONGEST_ADDITION = 20_000
_cached: TtlCache[UUID, dict[str, str]] = TtlCache(CACHE_SECONDS, 1024)


def additions() -> dict[str, str]:
    """The current community's additions by key, at most a minute old; empty ones are left out."""
    tenant_id = current_tenant_id()
    found = _cached.get(tenant_id)
    if found is None:
        found = stored_additions()
        _cached.put(tenant_id, found)
    return dict(found)


def stored_additions() -> dict[str, str]:
    """The same as they are stored now, past the cache: for those who change them."""
    return dict(RootPrompt.objects.exclude(content="").values_list("key", "content"))


def save_addition(key: str, content: str, *, saved_by: str) -> None:
    """Saves what stands after a default from now on, and keeps a version. Empty content takes it away.

    Raises :class:`UnknownPrompt`, or :class:`BadInput` for what is no text or too long.
    """
    entry = prompt(key)
    text, author = checked_addition(content), one_line(saved_by)
    tenant_id = current_tenant_id()
    with transaction.atomic():
        RootPrompt.objects.update_or_create(
            key=key, defaults={"content": text, "description": entry.description, "updated_by": author}
        )
        RootPromptVersion.objects.create(key=key, content=text, saved_at=now(), saved_by=author)
        # Now for this transaction's own reads, and again once others can see the row: a reader in between
        # would have put the old text back.
        _cached.drop(tenant_id)
        transaction.on_commit(partial(_cached.drop, tenant_id))


def versions(key: str) -> list[RootPromptVersion]:
    """Every saved state of an addition, newest first."""
    return list(RootPromptVersion.objects.filter(key=prompt(key).key).order_by("-saved_at", "-created_at"))


def text_of(key: str, *, character: str | None = None) -> str:
    """The text in force, not yet rendered: the default, then the addition.

    A custom character takes the place of the two tone templates and of nothing else.
    """
    words = wording()
    default = words.default(key)
    own_voice = clean(character or "").strip() if key in CHARACTER_KEYS else ""
    return "\n".join(filter(None, [own_voice or default, words.addition(key)]))


def wording() -> Wording:
    """The words in force for the current community."""
    return replace(platform_wording(), additions=additions())


def checked_addition(content: str) -> str:
    """The text as it is stored; raises :class:`BadInput` for what is no text or too long."""
    if not isinstance(content, str):
        raise BadInput("A prompt addition must be text.")
    text = clean(content).replace("\r\n", "\n").strip()
    if len(text) > LONGEST_ADDITION:
        raise BadInput(f"A prompt addition has at most {LONGEST_ADDITION:,} characters.")
    return text
