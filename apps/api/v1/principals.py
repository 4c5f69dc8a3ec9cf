"""/principals: people in bulk, what is kept about them, and forgetting it (contract §12.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints
from rest_framework.request import Request

from apps.agent import memory, preferences
from apps.agent.models import MemberPreference
from apps.api.operation import TenantView, operation
from apps.api.persons import ByOneName, Email, PersonQuery, Ref, SlackId
from apps.api.reading import NO_NUL, Body, Line
from apps.integrations.enrolment import Result, enrol_people
from apps.integrations.rootint.people import MAX_PROFILE
from apps.integrations.standing import bare_traits
from apps.tenancy.models import Principal
from apps.tenancy.principals import PersonFacts
from apps.tenancy.rosters import AT_ONCE

TAG = "People"


class PrincipalShown(BaseModel):
    """A person as this community knows them."""

    ref: str = Field(examples=["p-ada"])
    display_name: str
    tier: str = Field(examples=["member"])
    is_admin: bool
    email: str | None
    slack_user_id: str | None
    traits: dict[str, Any]
    profile_context: str
    tier_resolved_at: datetime | None
    updated_at: datetime


class PreferenceShown(BaseModel):
    """A wish that somebody asked to be remembered."""

    id: UUID
    instructions: str
    preference_type: Literal["nickname_alias", "formatting", "tone", "workflow", "naming", "custom"]
    trigger_phrase: str
    canonical_value: str
    channel_scope: Literal["all", "slack", "email"]
    active: bool
    created_at: datetime
    updated_at: datetime


class MemoryShown(BaseModel):
    """What is remembered of somebody's conversations."""

    text: str
    version: int = Field(description="Grows with every change, a reset included.")
    source_count: int = Field(description="How many messages it was made of.")
    updated_at: datetime | None
    reset_at: datetime | None
    last_attempted_at: datetime | None
    last_error: str


class StateShown(BaseModel):
    """A person, their memory and their wishes."""

    principal: PrincipalShown
    memory: MemoryShown
    preferences: list[PreferenceShown] = Field(description="The active ones, the latest word first.")
    settings: dict[str, Any] = Field(description="What tools noted about how to treat them.")


class MemoryReset(ByOneName, Body):
    """Whose memory to forget."""

    clear_preferences: Annotated[
        bool, Field(description="Also make all their preferences inactive and drop their settings.")
    ] = False


class ResetShown(BaseModel):
    """What is left."""

    principal: PrincipalShown
    memory: MemoryShown
    preferences_cleared: int


class PersonEntry(Body):
    """One person. Rights are said whole: without ``is_admin`` they are none. Other absent fields stay as stored."""

    ref: Annotated[Ref, Field(examples=["p-ada"])]
    tier: Annotated[str, StringConstraints(pattern=NO_NUL, max_length=200), Field(examples=["member"])]
    is_admin: bool = False
    display_name: Line | None = None
    email: Email | None = None
    slack_user_id: SlackId | None = None
    traits: dict[str, Any] | None = None
    profile_context: Annotated[str | None, StringConstraints(pattern=NO_NUL, max_length=MAX_PROFILE)] = None


class People(Body):
    """Who to add or update."""

    principals: Annotated[list[PersonEntry], Field(min_length=1, max_length=AT_ONCE)]


class EntryResult(BaseModel):
    """What became of one entry."""

    ref: str
    status: Literal["created", "updated", "unchanged", "refused"]
    problem: str | None = Field(description="Why it was refused.")
    left_out: list[Literal["email", "slack_user_id"]] = Field(
        description="What somebody else who is known holds, and keeps."
    )


class SyncShown(BaseModel):
    """What became of each entry, in the order they were sent, and the numbers."""

    results: list[EntryResult]
    created: int
    updated: int
    unchanged: int
    refused: int


class Sync(TenantView):
    """People in bulk."""

    body_limit = 4 * 1024 * 1024

    @operation(
        "Add or update up to 500 people",
        name="principals_sync",
        tag=TAG,
        body=People,
        answers={200: SyncShown},
    )
    def post(self, request: Request, body: People) -> SyncShown:
        """Each entry stands for itself: one that cannot be used is refused with a reason and keeps no other out.

        Tiers the platform reserves are refused. A mail address or Slack id stays with whoever is known by it.
        Nobody is removed.
        """
        results = enrol_people([PersonFacts(**dict(entry)) for entry in body.principals])
        return SyncShown(
            results=[_result(each) for each in results],
            **{
                status: sum(each.status == status for each in results)
                for status in ("created", "updated", "unchanged", "refused")
            },
        )


class State(TenantView):
    """What is kept about one person."""

    @operation(
        "A person's memory and preferences",
        name="principals_state",
        tag=TAG,
        query=PersonQuery,
        answers={200: StateShown},
        refuses=[404],
    )
    def get(self, request: Request, query: PersonQuery) -> StateShown:
        """A snapshot."""
        state = memory.state_of(**query.named())
        return StateShown(
            principal=principal_shown(state.principal),
            memory=_memory(state.principal),
            preferences=[_preference(row) for row in state.wishes],
            settings=state.principal.preferences,
        )


class Reset(TenantView):
    """Forgetting."""

    @operation(
        "Forget what somebody said so far",
        name="principals_memory_reset",
        tag=TAG,
        body=MemoryReset,
        answers={200: ResetShown},
        refuses=[404],
    )
    def post(self, request: Request, body: MemoryReset) -> ResetShown:
        """Empties the memory. The log of conversations stays; what was said before now is not remembered again."""
        reset = memory.reset_memory(**body.named(), clear_preferences=body.clear_preferences)
        return ResetShown(
            principal=principal_shown(reset.principal),
            memory=_memory(reset.principal),
            preferences_cleared=reset.wishes_cleared,
        )


class Deactivation(TenantView):
    """One wish."""

    @operation(
        "Make a preference inactive",
        name="preferences_deactivate",
        tag=TAG,
        answers={200: PreferenceShown},
        refuses=[404],
    )
    def post(self, request: Request, preference_id: UUID) -> PreferenceShown:
        """Twice is no mistake."""
        return _preference(preferences.deactivate(preference_id))


def principal_shown(row: Principal) -> PrincipalShown:
    """A stored person; on what grounds they have their tier is the platform's own note."""
    return PrincipalShown(
        ref=row.ref,
        display_name=row.display_name,
        tier=row.tier,
        is_admin=row.is_admin,
        email=row.email,
        slack_user_id=row.slack_user_id,
        traits=bare_traits(row),
        profile_context=row.profile_context,
        tier_resolved_at=row.tier_resolved_at,
        updated_at=row.updated_at,
    )


def _memory(row: Principal) -> MemoryShown:
    return MemoryShown(
        text=row.conversation_memory,
        version=row.conversation_memory_version,
        source_count=row.conversation_memory_source_count,
        updated_at=row.conversation_memory_updated_at,
        reset_at=row.conversation_memory_reset_at,
        last_attempted_at=row.conversation_memory_last_attempted_at,
        last_error=row.conversation_memory_last_error,
    )


def _preference(row: MemberPreference) -> PreferenceShown:
    return PreferenceShown.model_validate(row, from_attributes=True)


def _result(each: Result) -> EntryResult:
    return EntryResult.model_validate(
        {"ref": each.ref, "status": each.status, "problem": each.problem, "left_out": list(each.without)}
    )
