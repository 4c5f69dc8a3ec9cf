"""A base_url that leads inside is refused before a single byte leaves, on every endpoint (case KNW-07)."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.errors import BadInput
from apps.foundation.http_failure import HttpFailure
from apps.integrations.connect import connect
from apps.integrations.models import Integration
from apps.tenancy.models import IntegrationToolCall
from tests.fakes.backend import FakeBackend, Reply
from tests.integrations.rootint.test_invocation import ROUTE, invoke
from tests.integrations.rootint.test_signatures import CALLS


@pytest.fixture
def guarded(settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"root_allow_private_hosts": False})


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0"]
)
@pytest.mark.parametrize("path", CALLS)
def test_no_endpoint_reaches_inside(
    guarded: None, integration: Integration, backend: FakeBackend, host: str, path: str
) -> None:
    integration.base_url = f"http://{host}:{backend.port}"
    integration.save()
    if path.startswith("/integration/tools/"):
        assert not invoke(integration).success
        assert "private network" in IntegrationToolCall.objects.get().error
    else:
        with pytest.raises(HttpFailure, match="private network"):
            CALLS[path][1](integration)
    assert backend.requests == []


@pytest.mark.parametrize("url", ["http://169.254.169.254/latest", "http://[::1]:6379", "http://10.0.0.1"])
def test_connecting_says_why(guarded: None, integration: Integration, url: str) -> None:
    told = connect("inside", base_url=url, signing_secret="long enough")
    assert told.row.status == "pending" and "private network" in told.problem


@pytest.mark.parametrize(
    "url", ["file:///etc/hosts", "gopher://x/", "http://user:pass@h.example", "//h.example", ""]
)
def test_what_is_no_web_address_is_not_even_stored(integration: Integration, url: str) -> None:
    with pytest.raises(BadInput):
        connect("inside", base_url=url, signing_secret="long enough")
    assert Integration.objects.count() == 1


def test_an_outward_answer_that_redirects_inside_is_not_followed(
    integration: Integration, backend: FakeBackend
) -> None:
    backend.answer(ROUTE, Reply(status=307, headers={"location": "http://127.0.0.1:1/"}))
    assert not invoke(integration).success
    assert len(backend.requests) == 1
