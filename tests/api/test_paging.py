"""Cursors: what the document accepts is what the code accepts, and a page never repeats or skips a row."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.api.paging import CURSOR, Paged, page_of, read_cursor
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Principal, Tenant


@given(st.from_regex(CURSOR.replace("$", r"\Z")))
def test_whatever_has_the_form_is_a_place_in_a_list(cursor: str) -> None:
    at, last = read_cursor(cursor)

    assert at.tzinfo is not None
    assert isinstance(last, UUID)
    assert Paged.model_validate({"cursor": cursor}).cursor == cursor


@pytest.mark.parametrize(
    "cursor", ["", "x", "0" * 49, "1_" + "0" * 33, "1_" + "0" * 32 + "\n", "1_" + "G" * 32, "٠_" + "0" * 32]
)
def test_anything_else_is_refused(cursor: str) -> None:
    assert not re.fullmatch(CURSOR, cursor)
    with pytest.raises(ValidationError):
        Paged.model_validate({"cursor": cursor})


def test_rows_of_one_moment_and_new_ones_neither_repeat_nor_skip(db: None, tenant: Tenant) -> None:
    moment = datetime(2026, 3, 1, 12, 0, 0, 123457, tzinfo=UTC)
    with tenant_context(tenant):
        for number in range(7):
            row = Principal.objects.create(ref=f"p-{number}", tier="member")
            Principal.objects.filter(pk=row.pk).update(created_at=moment - timedelta(days=number // 3))
        seen: list[str] = []
        cursor = None
        while True:
            page = page_of(
                Principal.objects.all(),
                Paged(limit=2, cursor=cursor),
                by="created_at",
                show=lambda row: row.ref,
            )
            seen += page.items
            # One more on top of the list while somebody reads on.
            Principal.objects.create(ref=f"new-{uuid4()}", tier="member")
            cursor = page.next_cursor
            if cursor is None:
                break

    assert sorted(seen) == [f"p-{number}" for number in range(7)]
