"""Putting a checked playbook into force: all of it or nothing (contract §4.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from django.db import transaction

from apps.agent.playbook.book import Playbook, Texts
from apps.agent.playbook.taking_out import additions_of
from apps.agent.prompts.platform import PHASES, save_platform_wording, stored_platform_wording
from apps.agent.prompts.store import save_addition
from apps.agent.prompts.wording import Wording, built_in_wording
from apps.foundation.errors import BadInput, NotFound
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant
from apps.tenancy.tenants import find_tenant

SAVED_BY: Final = "playbook import"


@dataclass(frozen=True)
class Change:
    """One text that an import makes different; empty means that an addition goes away."""

    tenant: Tenant
    key: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an import would do to what is in force now."""

    wording: Wording
    defaults: tuple[str, ...]
    builders: tuple[str, ...]
    phases: tuple[str, ...]
    additions: tuple[Change, ...]

    def sentence(self) -> str:
        """How much of what changes."""
        counted = {
            "texts": self.defaults,
            "builders": self.builders,
            "phases": self.phases,
            "additions": self.additions,
        }
        return ", ".join(f"{name} {len(changed)}" for name, changed in counted.items())


def put_in(playbook: Playbook) -> Plan:
    """Imports a playbook that :func:`read_playbook` found nothing wrong with, and says what changed."""
    with transaction.atomic():
        changes = plan(playbook)
        if changes.defaults or changes.builders or changes.phases:
            save_platform_wording(changes.wording)
        for change in changes.additions:
            with tenant_context(change.tenant):
                save_addition(change.key, change.text, saved_by=SAVED_BY)
    return changes


def plan(playbook: Playbook) -> Plan:
    """What would change; raises :class:`BadInput` when the file names a community there is not."""
    now, then = stored_platform_wording(), _wording(playbook)
    return Plan(
        wording=then,
        defaults=tuple(key for key in then.defaults if then.default(key) != now.default(key)),
        builders=tuple(name for name, lines in then.lines.items() if lines != now.lines[name]),
        phases=tuple(name for name in PHASES if getattr(then.phases, name) != getattr(now.phases, name)),
        additions=tuple(_additions(playbook)),
    )


def only_for(playbook: Playbook, slug: str) -> Playbook:
    """The part of a file that one community's import uses; raises :class:`BadInput` when there is none."""
    additions = playbook.additions or {}
    if slug not in additions:
        raise BadInput(f"The file has no additions of {slug}.")
    return Playbook(additions={slug: additions[slug]})


def _wording(playbook: Playbook) -> Wording:
    """A section of the file takes the place of that whole section; what it leaves out is Root's own again."""
    now, own = stored_platform_wording(), built_in_wording()
    if playbook.defaults is not None:
        now = replace(now, defaults={**own.defaults, **playbook.defaults})
    if playbook.lines is not None:
        now = replace(now, lines={**own.lines, **playbook.lines})
    if playbook.phases is not None:
        now = replace(now, phases=replace(own.phases, **playbook.phases))
    return now


def _additions(playbook: Playbook) -> Iterator[Change]:
    for slug, texts in (playbook.additions or {}).items():
        yield from _changes_of(_community(slug), texts)


def _changes_of(tenant: Tenant, wanted: Texts) -> Iterator[Change]:
    now = additions_of(tenant)
    for key in dict.fromkeys([*now, *wanted]):
        if now.get(key, "") != wanted.get(key, ""):
            yield Change(tenant, key, wanted.get(key, ""))


def _community(slug: str) -> Tenant:
    try:
        return find_tenant(slug)
    except NotFound:
        raise BadInput(f"The file has additions of {slug}, but there is no such community.") from None
