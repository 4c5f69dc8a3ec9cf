"""The table of whom a channel vouches for."""

from __future__ import annotations

from typing import Any

import pytest

from apps.tenancy.access_policy import Trust, email_trust, slack_trust
from apps.tenancy.settings_schema import AccessPolicy

MEMBER = Trust(tier="member", source="channel_trust")
STAFF = Trust(tier="member", source="dashboard_user")


@pytest.mark.parametrize(
    ("policy", "in_workspace", "dashboard_user", "expected"),
    [
        ({}, True, False, MEMBER),
        ({"default_tier": "guest"}, True, False, Trust(tier="guest", source="channel_trust")),
        ({"default_tier": "unresolved"}, True, False, None),
        ({"default_tier": "public"}, True, True, STAFF),
        ({}, False, False, None),
        # A stranger's company vouches for nobody here, not even for an address of ours.
        ({}, False, True, None),
        ({"dashboard_users": False}, False, True, None),
        ({"slack": "integration"}, False, True, None),
        ({"slack": "integration"}, False, False, None),
        ({"default_tier": "guest"}, True, True, Trust(tier="guest", source="channel_trust")),
        ({"default_tier": "un\u200bresolved"}, True, False, None),
        ({"default_tier": "__admin__"}, True, False, None),
        ({"default_tier": "Ｐublic"}, True, False, None),
        ({"default_tier": " guest\u200b "}, True, False, Trust(tier="guest", source="channel_trust")),
        ({"slack": "integration"}, True, False, None),
        ({"slack": "integration"}, True, True, STAFF),
        ({"slack": "integration", "dashboard_users": False}, True, True, None),
    ],
)
def test_slack(
    policy: dict[str, Any], in_workspace: bool, dashboard_user: bool, expected: Trust | None
) -> None:
    access = AccessPolicy.model_validate(policy)
    assert slack_trust(access, in_workspace=in_workspace, dashboard_user=dashboard_user) == expected


@pytest.mark.parametrize(
    ("address", "trusted"),
    [
        ("ana@harbour.example", True),
        ("ana@lab.harbour.example", True),
        (" ANA@Harbour.Example ", True),
        ("ana@harbour.example.evil.example", False),
        ("ana@notharbour.example", False),
        ("harbour.example", False),
        ("a@b@harbour.example", False),
        ("ana@müller.example", True),
        ("ana@xn--mller-kva.example", True),
        ("one@other.example", True),
        ("two@other.example", False),
        ("ana@spaced.example", True),
        ("ana@x.com", False),
        ("", False),
        ("ana@", False),
        ("ana@harbour.example\x00", False),
    ],
)
def test_listed_domains_and_addresses(address: str, trusted: bool) -> None:
    access = AccessPolicy(
        email_domains=["harbour.example", "@Spaced.Example ", "müller.example", "", ".", "com"],
        email_addresses=[" One@Other.example", ""],
    )
    assert email_trust(access, address=address) == (MEMBER if trusted else None)


def test_email_can_be_left_to_the_backend() -> None:
    access = AccessPolicy(email="integration", email_domains=["harbour.example"])
    assert email_trust(access, address="a@harbour.example") is None
    assert email_trust(access, address="a@harbour.example", dashboard_user=True) == STAFF
