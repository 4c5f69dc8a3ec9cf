"""What callers of the web chat may send (contract §8.4)."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from apps.agent.turns import MESSAGE_LIMIT
from apps.foundation.text import is_blank
from apps.tenancy.emails import MAX_LENGTH, normalized_email

# A whole thread key, as an answer returns it, is longer than the 120 characters of its last part.
THREAD_KEY_LIMIT = 500


def _said(text: str) -> str:
    if is_blank(text):
        raise ValueError("the message is empty")
    return text.strip()


def _address(text: str) -> str | None:
    if not text.strip():
        return None
    address = normalized_email(text)
    if address is None:
        raise ValueError("this is not an e-mail address")
    return address


def _key(text: str) -> str | None:
    return text.strip() or None


Message = Annotated[str, StringConstraints(max_length=MESSAGE_LIMIT), AfterValidator(_said)]
Address = Annotated[str, StringConstraints(max_length=MAX_LENGTH), AfterValidator(_address)]
ThreadKey = Annotated[str, StringConstraints(max_length=THREAD_KEY_LIMIT), AfterValidator(_key)]
TurnId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{8,64}$")]


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class MessageBody(_Body):
    """One question. ``turn_id``, chosen by the caller, is what a later cancel names."""

    message: Message = Field(repr=False)
    email: Address | None = None
    thread_key: ThreadKey | None = None
    turn_id: TurnId | None = None


class ThreadQuery(_Body):
    """Which conversation to show."""

    thread_key: ThreadKey | None = None
    email: Address | None = None


class CancelBody(_Body):
    """Which running turn to stop."""

    turn_id: TurnId
