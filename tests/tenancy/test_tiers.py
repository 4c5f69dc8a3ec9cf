"""Names of tiers: which ones the platform keeps for itself, however they are spelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.foundation.errors import BadInput
from apps.tenancy import principals
from apps.tenancy.models import Principal, Tenant
from apps.tenancy.settings_schema import TenantSettings
from apps.tenancy.tiers import MAX_LENGTH, cleaned_tier, is_reserved


@pytest.mark.parametrize(
    "name",
    [
        "unresolved",
        "public",
        "public_email",
        "__admin__",
        "Unresolved",
        " public ",
        "PUBLIC_EMAIL",
        "un\u200bresolved",
        "\ufeffpublic",
        "pub\u00adlic",
        "pub\u2060lic",
        "ｐｕｂｌｉｃ",
        "𝐩𝐮𝐛𝐥𝐢𝐜",
        "public＿email",
        "__ADMIN__\u200d",
        "un resolved",
        "pub\nlic",
        "pub\x00lic",
        "pub\ud800lic",
        "public\ufe0f",
        "pub\u3164lic",
        "pub\u034flic",
        "public\u2800",
        "public_email\u180b",
    ],
)
def test_look_alikes_of_reserved_names_are_reserved(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize("name", ["member", "mentor", "publicist", "admin", "public-email", "résolu", "会員"])
def test_other_names_are_the_tenants(name: str) -> None:
    assert not is_reserved(name)
    assert cleaned_tier(name) == name


@given(st.text(max_size=200))
def test_what_is_stored_is_reserved_exactly_when_what_was_given_is(name: str) -> None:
    try:
        kept = cleaned_tier(name)
    except BadInput:
        return
    assert is_reserved(kept) == is_reserved(name)
    assert 1 <= len(kept) <= MAX_LENGTH
    assert cleaned_tier(kept) == kept
    kept.encode()


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\x00", "x" * 65])
def test_an_unusable_name_is_refused_wherever_it_is_stored(in_tenant: Tenant, name: str) -> None:
    with pytest.raises(BadInput):
        principals.upsert(principals.PersonFacts(ref="m-1", tier=name))
    assert not Principal.objects.exists()
    assert TenantSettings.problems({"access": {"default_tier": name}})


def test_a_person_keeps_the_cleaned_name(in_tenant: Tenant) -> None:
    row = principals.upsert(principals.PersonFacts(ref="m-1", tier=" senior\u200b \n mentor "))
    row.refresh_from_db()
    assert row.tier == "senior mentor"
