"""The three tools for what a person wants remembered (contract §5.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from apps.agent import preferences
from apps.agent.models import MemberPreference, PreferenceScope, PreferenceType
from apps.agent.preferences import Wish
from apps.agent.tools.declaration import Tool, ToolResult, ToolUse
from apps.agent.tools.person import TurnPerson
from apps.agent.tools.sentences import with_sentences

NOTHING_SAVED: Final = (
    "Nothing is saved for this person yet. Say so plainly before you offer to remember something."
)
_TEXT_FIELDS: Final = ("trigger_phrase", "canonical_value")

_REMEMBER: Final = {
    "type": "object",
    "properties": {
        "instructions": {
            "type": "string",
            "minLength": 1,
            "maxLength": preferences.LONGEST_INSTRUCTIONS,
            "description": "The wish as one complete sentence that will still make sense in another conversation.",
        },
        "preference_type": {
            "type": ["string", "null"],
            "enum": [*PreferenceType.values, None],
            "description": (
                "nickname_alias: a phrase of theirs stands for something. naming: how they want to be called. "
                "custom: nothing else fits."
            ),
        },
        "trigger_phrase": {
            "type": ["string", "null"],
            "maxLength": preferences.LONGEST_TRIGGER,
            "description": (
                "Only when the wish should wait for it: the exact words the person will write. "
                "A wish that always holds has none."
            ),
        },
        "canonical_value": {
            "type": ["string", "null"],
            "maxLength": preferences.LONGEST_VALUE,
            "description": "For an alias, what the phrase means; for a name, the name.",
        },
        "channel_scope": {
            "type": ["string", "null"],
            "enum": [*PreferenceScope.values, None],
            "description": "all, unless they said that it is for Slack or for email only.",
        },
    },
    "required": ["instructions"],
    "additionalProperties": False,
}
_LIST: Final = {"type": "object", "properties": {}, "additionalProperties": False}
_FORGET: Final = {
    "type": "object",
    "properties": {
        "preference_id": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64,
            "description": "The id as list_user_preferences gives it.",
        }
    },
    "required": ["preference_id"],
    "additionalProperties": False,
}


def remember_user_preference(asker: TurnPerson) -> Tool:
    """Saves what the person explicitly asked to have remembered."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        given = {name: value for name, value in arguments.items() if value is not None}
        kept = preferences.remember(asker.person, Wish(**given))
        return _done({"status": kept.status, "preference": _told(kept.preference)})

    return Tool(
        name="remember_user_preference",
        description=(
            "Saves a lasting preference, alias or form of address that the person explicitly stated, for all later "
            "conversations with them. Saying the same again, or giving a phrase a new meaning, replaces the old one."
        ),
        label="Saving your preference",
        parameters=_REMEMBER,
        execute=with_sentences(execute),
        mutates=True,
    )


def list_user_preferences(asker: TurnPerson) -> Tool:
    """Lists what holds for the person now, with the ids needed to forget it."""

    def execute(_arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        found = [_told(each) for each in preferences.active_preferences(asker.person)]
        told: dict[str, Any] = {"preferences": found, "count": len(found)}
        return _done(told if found else told | {"isEmpty": True, "guidance": NOTHING_SAVED})

    return Tool(
        name="list_user_preferences",
        description="Lists the preferences saved for the person who is asking, the latest first.",
        label="Looking up your preferences",
        parameters=_LIST,
        execute=with_sentences(execute),
        mutates=False,
    )


def forget_user_preference(asker: TurnPerson) -> Tool:
    """Stops one saved preference from being followed."""

    def execute(arguments: dict[str, Any], _use: ToolUse) -> ToolResult:
        gone = preferences.forget(asker.person, arguments["preference_id"])
        return _done({"status": "forgotten", "preference": _told(gone)})

    return Tool(
        name="forget_user_preference",
        description="Forgets one saved preference of the person who is asking, by its id.",
        label="Forgetting that preference",
        parameters=_FORGET,
        execute=with_sentences(execute),
        mutates=True,
    )


Execute = Callable[[dict[str, Any], ToolUse], ToolResult]


def _done(data: dict[str, Any]) -> ToolResult:
    return {"success": True, "data": data}


def _told(preference: MemberPreference) -> dict[str, str]:
    told = {
        "preference_id": str(preference.pk),
        "instructions": preference.instructions,
        "preference_type": preference.preference_type,
        "channel_scope": preference.channel_scope,
    }
    return told | {name: text for name in _TEXT_FIELDS if (text := getattr(preference, name))}
