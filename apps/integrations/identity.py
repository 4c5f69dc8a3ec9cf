"""Who is speaking: the backend's word first, then the channel's (contract §6, §8.1, §9)."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from apps.foundation.text import clean, one_line
from apps.integrations import standing
from apps.integrations.inquiry import Answer, ask_backends
from apps.integrations.person import ANONYMOUS, ResolvedPerson, resolved
from apps.integrations.standing import Standing
from apps.tenancy import principals, tiers
from apps.tenancy.access_policy import Trust, email_trust, slack_trust
from apps.tenancy.context import current_tenant
from apps.tenancy.dashboard_users import is_dashboard_user
from apps.tenancy.emails import normalized_email
from apps.tenancy.models import Principal
from apps.tenancy.settings_schema import AccessPolicy

__all__ = ["ResolvedPerson", "resolve"]

Channel = Literal["slack", "email", "api", "web"]
# Where an address is more than a claim: the provider checked it, or the holder of a key answers for it.
_PROVEN: Final = frozenset({"slack", "email", "api"})


def resolve(
    *,
    channel: Channel,
    email: str | None = None,
    slack_user_id: str | None = None,
    ref: str | None = None,
    display_name: str | None = None,
    in_workspace: bool = True,
    dashboard_user: bool = False,
    remember: bool = True,
) -> ResolvedPerson:
    """The person behind a message, for the current tenant.

    On Slack the Slack id decides. Elsewhere a reference comes first, then the address, then the Slack id.
    ``in_workspace`` is false for authors from another company's workspace; ``dashboard_user`` is true for
    somebody signed in to the tenant's dashboard: elsewhere the list of its users is asked, unless the channel
    leaves the address unproven. Without ``remember`` nothing learned on the way is written.
    """
    with nullcontext() if remember else principals.rehearsed():
        person = _resolve(
            channel=channel,
            address=normalized_email(email),
            slack_id=clean(slack_user_id or "").strip()[:64],
            ref=ref,
            name=one_line(display_name or ""),
            in_workspace=in_workspace,
            dashboard_user=dashboard_user,
        )
    if remember or person.principal is None:
        return person
    return replace(person, principal=principals.as_stored(person.principal))


def _resolve(
    *,
    channel: Channel,
    address: str | None,
    slack_id: str,
    ref: str | None,
    name: str,
    in_workspace: bool,
    dashboard_user: bool,
) -> ResolvedPerson:
    proven = dashboard_user or channel in _PROVEN
    on_slack = partial(
        _by_slack,
        slack_id,
        address,
        name,
        in_workspace=in_workspace,
        proven=proven,
        dashboard_user=dashboard_user,
    )
    if channel == "slack" and slack_id:
        return on_slack()
    if ref and (known := _by_ref(ref)) is not None:
        return known
    if address is not None:
        person = _by_email(address, name, proven=proven, dashboard_user=dashboard_user)
        if not slack_id or not tiers.is_reserved(person.tier):
            return person
    if slack_id:
        return on_slack()
    return _unknown(ref=one_line(ref or "") or ANONYMOUS, name=name)


def _by_slack(
    slack_id: str,
    address: str | None,
    name: str,
    *,
    in_workspace: bool,
    proven: bool,
    dashboard_user: bool,
) -> ResolvedPerson:
    row = principals.by_slack(slack_id)
    policy = current_tenant().config.access
    trust = slack_trust(policy, in_workspace=in_workspace)
    if trust is None and (dashboard_user or (in_workspace and proven and _may_sign_in(policy, address))):
        trust = slack_trust(policy, in_workspace=in_workspace, dashboard_user=True)
    if row is not None and standing.is_fresh(row, trust):
        return resolved(row, channel="slack")
    answer = ask_backends(channel="slack", slack_user_id=slack_id, email=address)
    decision = standing.settle(row, answer, trust, channel="slack", address=address)
    stored = _store(
        row,
        decision,
        fallback_ref=principals.SLACK_REF_PREFIX + slack_id,
        name=name,
        slack_id=slack_id,
        address=None,
    )
    return resolved(stored, channel="slack")


def _by_email(address: str, name: str, *, proven: bool, dashboard_user: bool) -> ResolvedPerson:
    """Mail proves little, so every message asks anew, and an address nobody vouches for opens no one's record."""
    row = principals.by_email(address)
    policy = current_tenant().config.access
    trust = email_trust(policy, address=address)
    if trust is None and (dashboard_user or (proven and _may_sign_in(policy, address))):
        trust = email_trust(policy, address=address, dashboard_user=True)
    answer = ask_backends(channel="email", email=address)
    decision = standing.settle(row, answer, trust, channel="email", address=address)
    ref = principals.EMAIL_REF_PREFIX + address
    if tiers.is_reserved(decision.tier):
        if row is not None and standing.rests_on(row, "email", proven=proven):
            _store(row, decision, fallback_ref=ref, name=name, slack_id=None, address=address)
        return _unknown(ref=ref, name=name, tier=tiers.PUBLIC_EMAIL, email=address)
    stored = _store(row, decision, fallback_ref=ref, name=name, slack_id=None, address=address)
    return resolved(stored, channel="email", acts_for=answer.acts_for)


def _may_sign_in(policy: AccessPolicy, address: str | None) -> bool:
    """Does the address belong to a user of the dashboard? Asked only where the policy makes something of it."""
    return policy.dashboard_users and address is not None and is_dashboard_user(address)


def _by_ref(ref: str) -> ResolvedPerson | None:
    row = principals.by_ref(ref.strip())
    if row is None:
        return None
    policy = current_tenant().config.access
    trust = standing.granted(row, policy)
    if not standing.is_fresh(row, trust):
        row = _looked_at_again(row, trust, still_granted=standing.still_granted(row, policy))
    return resolved(row, channel="api")


def _looked_at_again(row: Principal, trust: Trust | None, *, still_granted: bool) -> Principal:
    """The person after a new question to the backends, if there is anything they could be asked by."""
    answer = _asked_about(row)
    if answer is None:
        if still_granted:
            return row
        answer = Answer()
    decision = standing.settle(
        row,
        answer,
        trust,
        channel="email" if row.traits.get(standing.TIER_CHANNEL) == "email" else "slack",
        address=row.traits.get(standing.TIER_ADDRESS) or row.email,
    )
    # Only who gets a real reference now brings the row along; ids of the others may have moved meanwhile.
    adopted = principals.is_synthetic(row.ref)
    return _store(
        row,
        decision,
        fallback_ref=row.ref,
        name="",
        slack_id=row.slack_user_id if adopted else None,
        address=row.email if adopted else None,
    )


def _asked_about(row: Principal) -> Answer | None:
    """The backends' word on a stored person, asked as Slack asks and then as mail does; None without either id."""
    answer = None
    if row.slack_user_id:
        answer = _about(row, ask_backends(channel="slack", slack_user_id=row.slack_user_id, email=row.email))
    if row.email and (answer is None or not (answer.vouched or answer.failed)):
        answer = _about(row, ask_backends(channel="email", email=row.email))
    return answer


def _about(row: Principal, answer: Answer) -> Answer:
    """The answer, without somebody else who has the person's address or Slack id by now."""
    person = answer.person
    if person is None or person.ref == row.ref or principals.is_synthetic(row.ref):
        return answer
    return replace(answer, person=None, voucher=None)


def _store(
    row: Principal | None,
    decision: Standing,
    *,
    fallback_ref: str,
    name: str,
    slack_id: str | None,
    address: str | None,
) -> Principal:
    if decision.unchanged and row is not None:
        principals.postpone(row, resolved_at=decision.resolved_at)
        return row
    person = decision.person
    known_ref = row.ref if row is not None else fallback_ref
    known_name = (person.display_name if person else "") or name
    return principals.upsert(
        principals.PersonFacts(
            ref=person.ref if person else known_ref,
            tier=decision.tier,
            display_name=known_name or None,
            is_admin=decision.is_admin,
            traits=decision.traits,
            email=(person.email if person else None) or address,
            slack_user_id=slack_id,
            profile_context=person.profile_context if person else None,
            tier_resolved_at=decision.resolved_at,
        )
    )


def _unknown(
    *, ref: str, name: str, tier: str = tiers.UNRESOLVED, email: str | None = None
) -> ResolvedPerson:
    return ResolvedPerson(
        principal=None, ref=ref, display_name=name or email or "", tier=tier, access_level=tier, email=email
    )
