"""Sending over HTTP: rendered, recorded, and never twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pydantic import SecretStr

from apps.agent.models import ConversationLog
from apps.tenancy.context import tenant_context
from apps.tenancy.models import IdempotentRequest, Tenant, TenantChannel
from apps.tenancy.principals import PersonFacts, upsert
from tests.api.v1.knowledge_api import Answer, Api, api_of
from tests.fakes.backend import FakeBackend, Reply
from tests.fakes.slack import TOKEN, FakeSlack, channel, person

ADA = "ada@harbour.example"
TO_ADA = {"channel": "slack", "target": {"slack_user_id": "U0ADA"}, "text": "**Hello** Ada"}
MAIL = {"channel": "email", "target": {"email": ADA}, "text": "**Hello** Ada"}
PRIMITIVE, POSTMARK = "POST /send-mail", "POST /email"


@pytest.fixture
def slack(committed_db: None, tenant: Tenant, settings: Any) -> Iterator[FakeSlack]:
    with FakeSlack() as running, tenant_context(tenant):
        settings.ENV = settings.ENV.model_copy(update={"slack_api_url": running.api_url})
        TenantChannel.objects.create(type="slack", secrets={"bot_token": TOKEN})
        upsert(PersonFacts(ref="p-ada", tier="member", slack_user_id="U0ADA", email=ADA))
        upsert(PersonFacts(ref="p-lin", tier="member", email="lin@harbour.example"))
        running.people["U0ADA"] = person("Ada")
        running.channels["C0GEN"] = channel("general")
        yield running


@pytest.fixture
def carriers(committed_db: None, settings: Any) -> Iterator[FakeBackend]:
    with FakeBackend(secret=None) as running:
        running.answer(PRIMITIVE, Reply({"success": True, "data": {"id": "prim-1"}}))
        running.answer(POSTMARK, Reply({"MessageID": "pm-1", "ErrorCode": 0}))
        settings.ENV = settings.ENV.model_copy(
            update={
                "primitive_api_url": running.url,
                "primitive_api_key": SecretStr("prim-key"),
                "postmark_api_url": running.url,
                "platform_email_domain": "mail.root.example",
            }
        )
        yield running


@pytest.fixture
def api(committed_db: None, tenant: Tenant) -> Api:
    return api_of(tenant)


def send(api: Api, body: Any, *, key: str | None = None) -> Answer:
    headers = {"Authorization": f"Bearer {api.secret}", **({"Idempotency-Key": key} if key else {})}
    response = Client(headers=headers).post(
        "/api/v1/messages", json.dumps(body), content_type="application/json"
    )
    return Answer(response.status_code, json.loads(response.content))


def row_of(tenant: Tenant) -> ConversationLog:
    with tenant_context(tenant):
        found: ConversationLog = ConversationLog.objects.get()
    return found


def test_a_direct_message_is_rendered_and_recorded(api: Api, slack: FakeSlack, tenant: Tenant) -> None:
    text = "# News\n\n* **new** [hours](https://a.example) & <!channel> <@U0MO>\n\n`a < b`"
    answer = send(api, {**TO_ADA, "text": text})
    assert (answer.status, answer.body["status"], answer.body["slack_channel_id"]) == (200, "sent", "D0ADA")
    [posted] = slack.called("chat.postMessage")
    assert posted["text"] == (
        "*News*\n\n• *new* <https://a.example|hours> &amp; &lt;!channel&gt; <@U0MO>\n\n`a &lt; b`"
    )
    row = row_of(tenant)
    assert (row.direction, row.source, row.status, row.member_id) == ("outbound", "program", "sent", "p-ada")
    assert (row.message_text, row.slack_message_ts) == (text, answer.body["slack_ts"])


def test_to_a_channel_a_thread_and_by_address(api: Api, slack: FakeSlack) -> None:
    in_thread = {**TO_ADA, "target": {"slack_channel_id": "C0GEN"}, "thread_ts": "1790000000.000100"}
    assert send(api, in_thread).body["slack_channel_id"] == "C0GEN"
    assert slack.called("chat.postMessage")[0]["thread_ts"] == "1790000000.000100"
    assert (
        send(api, {**TO_ADA, "target": {"email": "Ada@harbour.example"}}).body["slack_channel_id"] == "D0ADA"
    )
    assert send(api, {**TO_ADA, "target": {"email": "lin@harbour.example"}}).code == "not_found"
    assert send(api, {**TO_ADA, "target": {"slack_channel_id": "C0NONE"}}).code == "not_found"
    assert send(api, {**TO_ADA, "target": {"slack_user_id": "U0NONE"}}).code == "not_found"


def test_long_messages_go_in_sections(api: Api, slack: FakeSlack) -> None:
    assert send(api, {**TO_ADA, "text": "a word " * 1000}).status == 200
    [message] = slack.messages["D0ADA"]
    assert [len(block["text"]["text"]) <= 3000 for block in message["blocks"]] == [True] * 3


def test_the_same_key_sends_once(api: Api, slack: FakeSlack, carriers: FakeBackend) -> None:
    for body in (TO_ADA, MAIL):
        first, second = (send(api, body, key=f"k-{body['channel']}") for _ in range(2))
        assert first == second and first.status == 200
    assert (len(slack.called("chat.postMessage")), len(carriers.calls(PRIMITIVE))) == (1, 1)
    assert send(api, {**TO_ADA, "text": "other"}, key="k-slack").code == "conflict"


def test_an_answer_that_is_lost_is_looked_for(api: Api, slack: FakeSlack) -> None:
    def posted_and_lost() -> None:
        answer = slack._chat_postMessage
        slack._chat_postMessage = lambda asked: answer(asked) and {"ok": False, "error": "internal_error"}  # type: ignore[method-assign]

    posted_and_lost()
    answer = send(api, TO_ADA)
    assert (answer.status, answer.body["status"]) == (200, "sent")
    assert len(slack.messages["D0ADA"]) == 1


def test_what_nobody_knows_is_said_and_not_sent_again(api: Api, slack: FakeSlack) -> None:
    slack.refuse("chat.postMessage", "internal_error")
    first, second = (send(api, TO_ADA, key="k") for _ in range(2))
    assert (first.status, first.body["status"]) == (202, "uncertain")
    assert first == second and len(slack.called("chat.postMessage")) == 1


@pytest.mark.parametrize("posted", [True, False])
def test_a_process_that_died_half_way(api: Api, slack: FakeSlack, tenant: Tenant, posted: bool) -> None:
    assert send(api, TO_ADA, key="k").status == 200
    with tenant_context(tenant):
        IdempotentRequest.objects.update(status=None, answer=None, claimed_at="2020-01-01T00:00:00Z")
        ConversationLog.objects.update(status="sending", external_message_id="", slack_message_ts="")
    if not posted:
        slack.messages["D0ADA"].clear()
    assert send(api, TO_ADA, key="k").body["status"] == "sent"
    assert len(slack.messages["D0ADA"]) == 1
    assert row_of(tenant).status == "sent"


def test_a_refused_message_frees_its_key(api: Api, slack: FakeSlack) -> None:
    slack.object_to("chat.postMessage")
    assert (send(api, TO_ADA, key="k").status, send(api, TO_ADA, key="k").status) == (503, 200)


def test_without_slack_or_mail_it_says_so(api: Api) -> None:
    for body, said in ((TO_ADA, "no Slack token"), (MAIL, "PRIMITIVE_API_KEY")):
        answer = send(api, body)
        assert answer.code == "conflict" and said in answer.body["error"]["message"]


def test_mail_by_primitive(api: Api, carriers: FakeBackend, tenant: Tenant) -> None:
    answer = send(api, MAIL, key="k")
    assert (answer.status, answer.body["external_id"], answer.body["to_email"]) == (200, "prim-1", ADA)
    [sent] = carriers.calls(PRIMITIVE)
    assert sent.headers["authorization"] == "Bearer prim-key"
    assert sent.json == {
        "from": "Pilot <harbour@mail.root.example>",
        "to": ADA,
        "subject": "A message from Pilot",
        "body_text": "**Hello** Ada",
        "body_html": "<p><strong>Hello</strong> Ada</p>\n",
    }
    row = row_of(tenant)
    assert (row.status, row.subject, row.to_email) == ("sent", "A message from Pilot", ADA)


def test_primitive_is_asked_again_under_the_same_key(api: Api, carriers: FakeBackend) -> None:
    carriers.answer(PRIMITIVE, Reply(status=502), Reply({"data": {"id": "prim-2"}}))
    assert send(api, MAIL).body["external_id"] == "prim-2"
    first, second = carriers.calls(PRIMITIVE)
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]


def test_postmark_stands_in_and_is_never_asked_twice(api: Api, carriers: FakeBackend, settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(
        update={"primitive_api_key": None, "postmark_server_token": SecretStr("pm-token")}
    )
    assert send(api, {**MAIL, "subject": "News"}).body["external_id"] == "pm-1"
    [sent] = carriers.calls(POSTMARK)
    assert (sent.headers["x-postmark-server-token"], sent.json["Subject"]) == ("pm-token", "News")
    carriers.answer(POSTMARK, Reply(status=500))
    assert send(api, MAIL, key="k").status == send(api, MAIL, key="k").status == 202
    assert len(carriers.calls(POSTMARK)) == 2
    carriers.answer(POSTMARK, Reply({"ErrorCode": 300}, status=422))
    assert send(api, MAIL).code == "conflict"


def test_a_webhook_of_the_communitys_own_is_signed(api: Api, tenant: Tenant) -> None:
    with FakeBackend() as house:
        house.answer("POST /mail", Reply(status=202))
        with tenant_context(tenant):
            TenantChannel.objects.create(
                type="email",
                config={"mode": "byo_webhook", "outbound_webhook_url": f"{house.url}/mail"},
                secrets={"outbound_signing_secret": house.secret},
            )
        assert send(api, MAIL).body["status"] == "sent"
        [sent] = house.calls("POST /mail")
        assert sent.signed and (sent.json["type"], sent.json["to"]) == ("email_reply", ADA)


def test_nobody_of_another_community_is_reached(api: Api, slack: FakeSlack, other_tenant: Tenant) -> None:
    answer = send(api_of(other_tenant), {**TO_ADA, "target": {"email": ADA}})
    assert answer.code == "not_found" and slack.called("chat.postMessage") == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {**TO_ADA, "channel": "sms"},
        {**TO_ADA, "text": " "},
        {**TO_ADA, "text": "a\x00"},
        {**TO_ADA, "text": "x" * 20_001},
        {**TO_ADA, "target": "U0ADA"},
        {**TO_ADA, "target": {}},
        {**TO_ADA, "target": {"slack_user_id": "U0ADA", "email": ADA}},
        {**TO_ADA, "target": {"slack_user_id": "ada"}},
        {**TO_ADA, "subject": "Slack knows none"},
        {**TO_ADA, "thread_ts": "yesterday"},
        {**MAIL, "target": {"slack_user_id": "U0ADA"}},
        {**MAIL, "target": {"email": "ada"}},
        {**MAIL, "subject": "two\nlines"},
    ],
)
def test_what_does_not_fit_is_refused(api: Api, body: dict[str, Any]) -> None:
    assert send(api, body).code == "bad_input"


def test_an_odd_key_is_refused(api: Api, slack: FakeSlack) -> None:
    assert send(api, TO_ADA, key="k" * 201).code == "bad_input"
