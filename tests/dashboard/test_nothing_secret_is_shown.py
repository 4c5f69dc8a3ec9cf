"""No page, list or search of the admin shows a secret, a hash, or what somebody said."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.dashboard.every_page import listed, pages_of, standing_addresses
from tests.dashboard.rows_everywhere import fill

# Its beginning is searched for: the page repeats what was asked, and must not complete it.
ASKED = "hush-Zq7"
MARKER = f"{ASKED}-9f2c4b"


def test_nowhere(operator: Client, tenant: Any) -> None:
    rows = fill(tenant, marker=MARKER)
    addresses = standing_addresses() + [
        page for model, row in rows.items() for page in pages_of(model, row.pk)
    ]
    assert rows.keys() == {model for model, _ in listed()}
    for address in addresses:
        reply = operator.get(address)
        assert reply.status_code == 200 or address.endswith("/add/"), address
        assert MARKER not in reply.content.decode(), address


def test_not_found_by_either(operator: Client, tenant: Any) -> None:
    fill(tenant, marker=MARKER)
    for model, address in listed():
        reply = operator.get(address, {"q": ASKED})
        assert reply.status_code == 200
        assert reply.context["cl"].result_count == 0, model
        assert MARKER not in reply.content.decode()


@pytest.mark.parametrize(
    "query",
    [
        {"signing_secret__startswith": ASKED},
        {"token_hash__contains": ASKED},
        {"tenant__settings__contains": "{}"},
        {"message_text__contains": ASKED},
        {"payload__contains": "{}"},
        {"o": "99"},
        {"p": "-4"},
        {"tenant": "\x00"},
        {"q": "\x00"},
        {"q": "x" * 5000},
    ],
)
def test_not_told_apart_by_asking_cleverly(operator: Client, tenant: Any, query: dict[str, str]) -> None:
    fill(tenant, marker=MARKER)
    for model, address in listed():
        reply = operator.get(address, query, follow=True)
        asks_about_a_column = any("__" in name for name in query)
        assert reply.status_code in ({400} if asks_about_a_column else {200, 400}), (model, query)
        assert MARKER not in reply.content.decode()
