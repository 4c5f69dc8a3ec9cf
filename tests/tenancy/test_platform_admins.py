"""An operator exists exactly while the address is listed."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from apps.foundation.errors import BadInput
from apps.tenancy.models import Operator, PlatformAdmin
from apps.tenancy.platform_admins import add_platform_admin, is_platform_admin, remove_platform_admin


def test_listing_makes_the_operator_and_removing_takes_it_away(db: None) -> None:
    add_platform_admin(" Olga@Platform.Example ")
    add_platform_admin("olga@platform.example")
    operator = Operator.objects.get()
    assert operator.email == "olga@platform.example"
    assert not operator.has_usable_password() and not operator.is_superuser
    assert is_platform_admin("OLGA@platform.example")
    assert remove_platform_admin("olga@platform.example")
    assert not remove_platform_admin("olga@platform.example")
    assert not is_platform_admin("olga@platform.example")
    assert not Operator.objects.exists() and not PlatformAdmin.objects.exists()


def test_the_database_knows_no_operator_who_is_not_listed(db: None) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Operator.objects.create_operator("eve@platform.example")
    add_platform_admin("olga@platform.example")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM platform_admins")
    assert not Operator.objects.exists()


@pytest.mark.parametrize("email", ["", "olga", "a@b@c", "o\x00@platform.example"])
def test_what_is_no_address_is_refused(db: None, email: str) -> None:
    with pytest.raises(BadInput):
        add_platform_admin(email)
    assert not is_platform_admin(email)


def test_the_command(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("operator", "add", "olga@platform.example")
    call_command("operator", "list")
    assert "olga@platform.example" in capsys.readouterr().out.splitlines()
    call_command("operator", "remove", "olga@platform.example")
    with pytest.raises(CommandError, match="not listed"):
        call_command("operator", "remove", "olga@platform.example")
