"""A question about pictures (contract §3.1)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Unpack
from urllib.parse import urlsplit

from apps.foundation.errors import BadInput
from apps.foundation.pictures import picture_type
from apps.integrations.llm.asking import AskOptions
from apps.integrations.llm.text import TextAnswer, chat_text

Json = dict[str, Any]
Picture = bytes | str

MAX_PICTURES = 8
MAX_PICTURE_BYTES = 5 * 1024 * 1024
MAX_BYTES = 20 * 1024 * 1024  # of all pictures of one question together
MAX_URL_LENGTH = 2_048


def chat_vision(
    question: str,
    *,
    pictures: Sequence[Picture],
    purpose: str,
    system: str | None = None,
    **options: Unpack[AskOptions],
) -> TextAnswer:
    """What the vision model says. A picture is its bytes, or a public address the provider fetches itself.

    Raises :class:`BadInput` for pictures that cannot be sent, :class:`LlmFailure` as every question does.
    """
    opening: list[Json] = [{"role": "system", "content": system}] if system else []
    asked: AskOptions = {"role": "vision", **options}
    return chat_text([*opening, picture_message(question, pictures)], purpose=purpose, **asked)


def picture_message(text: str, pictures: Sequence[Picture]) -> Json:
    """One user message of a text and its pictures, for any question to a model that sees."""
    if not 1 <= len(pictures) <= MAX_PICTURES:
        raise BadInput(f"A question about pictures takes 1 to {MAX_PICTURES} of them.")
    if sum(len(picture) for picture in pictures if isinstance(picture, bytes)) > MAX_BYTES:
        raise BadInput("The pictures are too large together.")
    shown = [{"type": "image_url", "image_url": {"url": _address(picture)}} for picture in pictures]
    return {"role": "user", "content": [{"type": "text", "text": text}, *shown]}


def _address(picture: Picture) -> str:
    return _embedded(picture) if isinstance(picture, bytes) else _public(picture)


def _embedded(data: bytes) -> str:
    if len(data) > MAX_PICTURE_BYTES:
        raise BadInput("A picture is too large.")
    kind = picture_type(data)
    if kind is None:
        raise BadInput("Only PNG, JPEG, GIF and WebP pictures can be looked at.")
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def _public(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        usable = False
    if not usable or len(url) > MAX_URL_LENGTH:
        raise BadInput("The address of a picture must be a web address.")
    return url
