"""Who and what the ids of a workspace stand for, cached (contract §8.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from apps.foundation.text import one_line
from apps.foundation.ttl_cache import TtlCache
from apps.integrations.slack.client import forget_client, slack_client
from apps.integrations.slack.failure import SlackFailure
from apps.integrations.slack.reading import id_of, records_of, text_of
from apps.tenancy.context import current_tenant_id

CACHE_SECONDS: Final = 3600.0
# Somebody Slack does not know, or a channel we may not see: asked again before long.
UNKNOWN_SECONDS: Final = 120.0
PAGE: Final = 200
MOST_PAGES: Final = 50
_UNKNOWN: Final = frozenset({"user_not_found", "user_not_visible", "users_not_found", "channel_not_found"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackUser:
    id: str
    name: str
    is_bot: bool
    is_deleted: bool
    is_stranger: bool
    """Of another company's workspace, in a shared channel."""
    email: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackChannel:
    id: str
    name: str
    is_public: bool
    is_archived: bool
    is_member: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """``url`` ends with a slash; ``bot_user_id`` is the agent itself."""

    url: str
    team_id: str
    bot_user_id: str
    bot_id: str


_users: TtlCache[tuple[UUID, str], SlackUser | bool] = TtlCache(CACHE_SECONDS, 50_000)
_channels: TtlCache[tuple[UUID, str], SlackChannel | bool] = TtlCache(CACHE_SECONDS, 10_000)
_workspaces: TtlCache[UUID, Workspace] = TtlCache(CACHE_SECONDS)


def user(user_id: str) -> SlackUser | None:
    """A person or bot, None when Slack knows none; raises :class:`SlackFailure`."""
    key = (current_tenant_id(), user_id)
    known = _users.get(key)
    if known is None:
        known = _asked_user(user_id) or False
        _users.put(key, known, seconds=None if known else UNKNOWN_SECONDS)
    return known if isinstance(known, SlackUser) else None


def channel(channel_id: str) -> SlackChannel | None:
    """A channel, None when Slack shows us none; raises :class:`SlackFailure`."""
    key = (current_tenant_id(), channel_id)
    known = _channels.get(key)
    if known is None:
        known = _asked_channel(channel_id) or False
        _channels.put(key, known, seconds=None if known else UNKNOWN_SECONDS)
    return known if isinstance(known, SlackChannel) else None


def public_channels() -> list[SlackChannel]:
    """All that are not archived; raises :class:`SlackFailure`."""
    found = []
    for record in _pages("conversations_list", "channels", types="public_channel", exclude_archived=True):
        entry = _channel(record)
        if entry is not None and entry.is_public and not entry.is_archived:
            _channels.put((current_tenant_id(), entry.id), entry)
            found.append(entry)
    return found


def learn_users() -> int:
    """Asks for everybody at once, before many names are needed; gives how many there are."""
    count = 0
    for record in _pages("users_list", "members"):
        entry = _user(record)
        if entry is not None:
            _users.put((current_tenant_id(), entry.id), entry)
            count += 1
    return count


def workspace() -> Workspace:
    """The workspace of the token; raises :class:`SlackFailure`."""
    known = _workspaces.get(current_tenant_id())
    if known is None:
        answer = _asked("auth_test").data
        url = text_of(answer, "url")
        known = Workspace(
            url=url if not url or url.endswith("/") else f"{url}/",
            team_id=text_of(answer, "team_id"),
            bot_user_id=text_of(answer, "user_id"),
            bot_id=text_of(answer, "bot_id"),
        )
        _workspaces.put(current_tenant_id(), known)
    return known


def user_names(user_ids: Iterable[str]) -> dict[str, str]:
    """Names by id of those that can be named now; never raises for Slack."""
    return dict(_named(user_ids, user))


def channel_names(channel_ids: Iterable[str]) -> dict[str, str]:
    """The same of channels."""
    return dict(_named(channel_ids, channel))


def _named(ids: Iterable[str], look_up: Any) -> Iterator[tuple[str, str]]:
    for each in dict.fromkeys(ids):
        try:
            found = look_up(each)
        except SlackFailure:
            return
        if found is not None:
            yield each, found.name


def _asked_user(user_id: str) -> SlackUser | None:
    try:
        return _user(_asked("users_info", user=user_id).get("user"))
    except SlackFailure as failure:
        if failure.code in _UNKNOWN:
            return None
        raise


def _asked_channel(channel_id: str) -> SlackChannel | None:
    try:
        return _channel(_asked("conversations_info", channel=channel_id).get("channel"))
    except SlackFailure as failure:
        if failure.code in _UNKNOWN:
            return None
        raise


def _pages(method: str, name: str, **asked: Any) -> Iterator[dict[str, Any]]:
    cursor = ""
    for _ in range(MOST_PAGES):
        answer = _asked(method, limit=PAGE, cursor=cursor, **asked)
        yield from records_of(answer.data, name)
        cursor = text_of(answer.data, "response_metadata", "next_cursor")
        if not cursor:
            return


def _asked(method: str, **asked: Any) -> Any:
    try:
        return getattr(slack_client(), method)(**asked)
    except SlackFailure as failure:
        if failure.is_dead_token:
            forget_client()
        raise


def _user(record: Any) -> SlackUser | None:
    user_id = id_of(record, "id")
    if user_id is None:
        return None
    names = (
        text_of(record, "profile", "display_name"),
        text_of(record, "profile", "real_name"),
        text_of(record, "real_name"),
        text_of(record, "name"),
    )
    return SlackUser(
        id=user_id,
        name=next((shown for name in names if (shown := one_line(name, limit=120))), user_id),
        is_bot=record.get("is_bot") is True or user_id == "USLACKBOT",
        is_deleted=record.get("deleted") is True,
        is_stranger=record.get("is_stranger") is True,
        email=text_of(record, "profile", "email") or None,
    )


def _channel(record: Any) -> SlackChannel | None:
    channel_id = id_of(record, "id")
    if channel_id is None:
        return None
    closed = any(record.get(name) is True for name in ("is_private", "is_im", "is_mpim", "is_group"))
    return SlackChannel(
        id=channel_id,
        name=one_line(text_of(record, "name"), limit=120) or channel_id,
        is_public=record.get("is_channel") is True and not closed,
        is_archived=record.get("is_archived") is True,
        is_member=record.get("is_member") is True,
    )
