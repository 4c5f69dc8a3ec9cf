"""Pictures go out as what they are, bounded in number and size."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from apps.foundation.errors import BadInput
from apps.foundation.pictures import picture_type
from apps.integrations.llm.vision import MAX_PICTURE_BYTES, chat_vision
from apps.tenancy.models import Tenant
from tests.fakes.llm import ScriptedLlm, says

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20
BEGINNINGS = [
    (PNG, "image/png"),
    (b"\xff\xd8\xff\xe0", "image/jpeg"),
    (b"GIF89a", "image/gif"),
    (b"RIFF\x01\x02\x03\x0aWEBPVP8 ", "image/webp"),
    (b"<svg onload=x>", None),
    (b"%PDF-1.7", None),
    (b"", None),
]


@pytest.mark.parametrize(("data", "kind"), BEGINNINGS)
def test_a_picture_is_what_it_begins_with(data: bytes, kind: str | None) -> None:
    assert picture_type(data) == kind


def test_bytes_and_addresses_in_one_question(llm: ScriptedLlm, in_tenant: Tenant) -> None:
    llm.reply(says("A poster for a dinner on Friday."))
    answer = chat_vision(
        "What is this?",
        pictures=[PNG, "https://files.example/poster.jpg"],
        purpose="slack.picture",
        system="Describe briefly.",
    )
    assert answer.text.startswith("A poster")
    [request] = llm.chats
    assert request.body["model"] == "google/gemini-3.5-flash"
    system, asked = request.body["messages"]
    assert system["content"] == "Describe briefly."
    text, first, second = asked["content"]
    assert text == {"type": "text", "text": "What is this?"}
    head, _, data = first["image_url"]["url"].partition(",")
    assert (head, base64.b64decode(data)) == ("data:image/png;base64", PNG)
    assert second["image_url"]["url"] == "https://files.example/poster.jpg"


def test_the_vision_role_has_its_own_model(llm: ScriptedLlm, in_tenant: Tenant, settings: Any) -> None:
    settings.ENV = settings.ENV.model_copy(update={"llm_model_vision": "own/eyes"})
    llm.reply(says("ok"), says("ok"))
    chat_vision("?", pictures=[PNG], purpose="p")
    chat_vision("?", pictures=[PNG], purpose="p", role="default")
    assert [request.body["model"] for request in llm.chats] == ["own/eyes", "google/gemini-3.5-flash"]


@pytest.mark.parametrize(
    "pictures",
    [
        [],
        [PNG] * 9,
        [b"%PDF-1.7"],
        [b""],
        [PNG + b"\x00" * MAX_PICTURE_BYTES],
        [PNG + b"\x00" * (MAX_PICTURE_BYTES - 100)] * 5,
        ["file:///etc/hosts"],
        ["data:image/png;base64,AAAA"],
        ["https://user:pass@files.example/x.png"],
        ["https://"],
        ["http://[broken"],
        ["https://files.example/" + "x" * 3_000],
    ],
)
def test_what_cannot_be_sent_is_refused_before_any_call(
    llm: ScriptedLlm, in_tenant: Tenant, pictures: list[Any]
) -> None:
    with pytest.raises(BadInput):
        chat_vision("?", pictures=pictures, purpose="p")
    assert llm.requests == []
