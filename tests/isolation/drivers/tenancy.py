"""Tenancy's services: secrets, pictures, channels, keys, users, people, settings, usage."""

from __future__ import annotations

import struct
import uuid
import zlib
from importlib import import_module

from django.conf import settings
from django.test import RequestFactory

from apps.foundation import clock
from apps.tenancy import (
    api_keys,
    assets,
    channels,
    credentials,
    dashboard_users,
    idempotency,
    principals,
    sessions,
    tenants,
)
from apps.tenancy.context import tenant_context
from apps.tenancy.limits import limits
from apps.tenancy.principals import PersonFacts
from apps.tenancy.rosters import enrol
from apps.tenancy.usage import record_api_request, record_integration_call, record_llm_usage
from tests.isolation.cast import EMAIL, Community

KIND = "slack.bot"
ROLES = {"harbour": "owner", "mill": "viewer"}


def secrets(community: Community) -> object:
    credentials.store_credential(KIND, value=f"token-{community.marker}", metadata={"of": community.marker})
    return credentials.credential(KIND)


def logo(community: Community) -> object:
    assets.save_logo(_picture(community.marker))
    return assets.logo()


def _picture(said: str) -> bytes:
    """A PNG of one pixel that bears a text."""
    parts = {b"IHDR": struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0), b"tEXt": b"Comment\0" + said.encode()}
    parts |= {b"IDAT": zlib.compress(b"\0\0"), b"IEND": b""}
    chunks = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts.items()
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def web_channel(community: Community) -> object:
    token = channels.open_web_channel(config={"title": f"Ask {community.marker}"})
    return [token, channels.active_channel("web")]


def keys(community: Community) -> object:
    """A key's row lies with the live community; what it opens is the row it was made for."""
    live = community.tenant.live_tenant or community.tenant
    with tenant_context(live):
        kept = api_keys.mint_key(
            live, name="key", environment="dev" if community.tenant.live_tenant else "live"
        )
        api_keys.revoke_key(api_keys.mint_key(live, name="key", environment="live").row)
        listed = api_keys.list_keys(live)
    holder = api_keys.authenticate_key(kept.secret)
    assert holder.tenant == community.tenant
    return [kept.row, listed, holder.tenant.slug]


def dashboard(community: Community) -> object:
    """The same address with another role; a shadow shows its live community's people."""
    if community.slug in ROLES:
        dashboard_users.invite(EMAIL, role=ROLES[community.slug], by="platform")
        dashboard_users.invite("bo@shared.example", role="member", by="platform")
        dashboard_users.change_role("bo@shared.example", role="viewer", by="platform")
    return dashboard_users.list_users()


def roles(community: Community) -> object:
    expected = ROLES[community.slug.removesuffix("--dev")]
    assert dashboard_users.role_of(EMAIL) == expected
    assert dashboard_users.is_dashboard_user(EMAIL)
    request = RequestFactory().get("/")
    request.session = import_module(settings.SESSION_ENGINE).SessionStore()
    somebody = sessions.sign_in(request, EMAIL)
    assert sessions.signed_in(request) == somebody
    assert sessions.role_in(community.tenant, somebody) == expected
    sessions.sign_out(request)
    return somebody


def people(community: Community) -> object:
    facts = PersonFacts(
        ref="p-cy",
        tier=community.tier,
        display_name=f"Cy {community.marker}",
        email="cy@shared.example",
        slack_user_id="U0CY",
        profile_context=f"At {community.marker}",
        traits={"team": community.marker},
    )
    row = principals.upsert(facts)
    principals.postpone(row, resolved_at=clock.now())
    with principals.rehearsed():
        principals.upsert(PersonFacts(ref="p-nobody", tier=community.tier))
    found = [principals.by_ref("p-cy"), principals.by_email("cy@shared.example"), principals.by_slack("U0CY")]
    assert {each.pk for each in found if each} == {row.pk} and principals.by_ref("p-nobody") is None
    return [*found, principals.as_stored(row)]


def roster(community: Community) -> object:
    listed = [PersonFacts(ref="p-dee", tier=community.tier, display_name=f"Dee {community.marker}")]
    return [enrol(listed, may_change=lambda _row: True), principals.by_ref("p-dee")]


def own_settings(community: Community) -> object:
    kept = {**community.tenant.settings, "admin_emails": [f"{community.marker}@shared.example"]}
    tenants.update_settings(community.tenant, kept)
    return [tenants.find_tenant(community.slug), tenants.tenant_by_id(community.tenant.pk).settings]


def own_limits(community: Community) -> object:
    expected = {"harbour": 7, "mill": 9}.get(community.slug)
    found = limits().max_knowledge_sources
    assert found == expected if expected else found not in (7, 9)
    return found


def usage(community: Community) -> object:
    numbers = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    record_llm_usage(purpose=f"test.{community.marker}", model="m", cost_usd=0.0, **numbers)
    record_integration_call(
        integration_name="house",
        tool_name="search_members",
        invocation_id=uuid.uuid4(),
        duration_ms=1,
        success=False,
        error=f"At {community.marker}",
    )
    live = community.tenant.live_tenant or community.tenant
    key = api_keys.list_keys(live)[0]
    record_api_request(surface="rest_agent_turn", api_key_id=key.pk, success=True, trace_id=community.marker)
    return None


def taken_secret(community: Community) -> object:
    gone = credentials.forget_credential(KIND)
    return [gone, credentials.credential(KIND)]


def taken_logo(_community: Community) -> object:
    return [assets.remove_logo(), assets.logo()]


def taken_user(community: Community) -> object:
    if community.slug == "mill":
        dashboard_users.remove("bo@shared.example", by="platform")
    return dashboard_users.list_users()


def repeated_requests(community: Community) -> object:
    """Under the same operation and key in all communities, each with an answer of its own."""
    held = idempotency.claim(operation="messages", key="once", content=b"{}")
    assert isinstance(held, idempotency.Claim) and not held.again
    idempotency.answered(held, status=200, answer={"of": community.marker})
    spare = idempotency.claim(operation="messages", key="spare", content=b"{}")
    assert isinstance(spare, idempotency.Claim)
    idempotency.released(spare)
    return idempotency.claim(operation="messages", key="once", content=b"{}")


DRIVERS = (
    secrets, logo, web_channel, keys, dashboard, roles, people, roster, own_settings, own_limits, usage,
    repeated_requests,
)  # fmt: skip
TAKING_AWAY = (taken_secret, taken_logo, taken_user)
