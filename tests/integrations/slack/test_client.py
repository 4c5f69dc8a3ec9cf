"""The SDK's client of the current community, and what it says when something goes wrong."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.db import transaction

from apps.foundation.database import TransactionHeld
from apps.integrations.slack.client import forget_client, is_connected, slack_client
from apps.integrations.slack.failure import DEFAULT_REST, LONGEST_REST, SlackFailure
from apps.tenancy.context import tenant_context
from apps.tenancy.models import Tenant, TenantChannel
from tests.fakes.slack import TOKEN, FakeSlack


def failed(method: str = "auth.test") -> SlackFailure:
    with pytest.raises(SlackFailure) as caught:
        slack_client().api_call(method)
    return caught.value


def test_calls_go_to_the_address_that_is_set_with_the_communitys_token(slack: FakeSlack) -> None:
    assert slack_client().auth_test()["user_id"] == "U0BOT"
    assert [(call.method, call.token) for call in slack.calls] == [("auth.test", TOKEN)]
    assert slack_client() is slack_client()


def test_another_community_gets_no_client_of_this_one(slack: FakeSlack, other_tenant: Tenant) -> None:
    slack_client()
    with tenant_context(other_tenant):
        assert not is_connected()
        with pytest.raises(SlackFailure) as caught:
            slack_client()
    assert caught.value.code == "not_connected" and caught.value.is_dead_token


def test_new_secrets_count_once_the_client_is_forgotten(slack: FakeSlack) -> None:
    slack_client()
    TenantChannel.objects.update(secrets={"bot_token": "xoxb-new"})
    forget_client()
    assert failed().code == "invalid_auth"
    assert slack.calls[-1].token == "xoxb-new"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("30", 30.0), ("0", 0.0), ("", DEFAULT_REST), ("soon", DEFAULT_REST), ("99999999", LONGEST_REST)],
)
def test_a_rest_is_as_long_as_slack_says(slack: FakeSlack, header: str, seconds: float) -> None:
    body = json.dumps({"ok": False, "error": "ratelimited"}).encode()
    slack.answers["auth.test"].append((429, {"Retry-After": header}, body))
    failure = failed()
    assert (failure.code, failure.retryable, failure.retry_after) == ("ratelimited", True, seconds)


@pytest.mark.parametrize(
    ("answer", "code", "retryable"),
    [
        ({"ok": False, "error": "channel_not_found"}, "channel_not_found", False),
        ({"ok": False, "error": "internal_error"}, "internal_error", True),
        ({"ok": False, "error": "token xoxb-secret is bad"}, "bad_response", True),
        ({"ok": False, "error": {"a": 1}}, "bad_response", True),
        ({"ok": False}, "bad_response", True),
        ((200, {}, b"<html>maintenance</html>"), "bad_response", True),
        ((500, {}, b"oh no"), "bad_response", True),
        ((503, {}, b'{"ok": false, "error": "odd_thing"}'), "odd_thing", True),
        ((200, {}, b"[1, 2]"), "bad_response", True),
        ((200, {}, b""), "bad_response", True),
    ],
)
def test_what_cannot_be_used_is_a_failure_with_a_verdict(
    slack: FakeSlack, answer: Any, code: str, retryable: bool
) -> None:
    slack.answers["auth.test"].append(answer)
    failure = failed()
    assert (failure.code, failure.retryable) == (code, retryable)
    assert "xoxb" not in str(failure) + repr(failure) + failure.message


def test_slack_being_away_is_a_failure_too(slack: FakeSlack) -> None:
    client = slack_client()
    client.base_url = "http://127.0.0.1:1/api/"
    assert failed().code == "network"


def test_nothing_secret_is_logged_or_shown(slack: FakeSlack, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    slack.refuse("auth.test", "invalid_auth")
    failed()
    slack_client().auth_test()
    assert TOKEN not in caplog.text and TOKEN not in repr(slack_client())


def test_no_transaction_is_held_across_a_call(slack: FakeSlack) -> None:
    with transaction.atomic(), pytest.raises(TransactionHeld):
        slack_client().auth_test()
    assert slack.calls == []
