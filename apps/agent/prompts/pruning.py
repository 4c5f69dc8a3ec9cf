"""Taking out what a built-in text says about tools that are not at hand.

A sentence about an absent tool tempts the model to call it. A line whose opening sentence names one is about
that tool and goes as a whole; otherwise only the sentences that name it go.
"""

from __future__ import annotations

import re
from typing import Final

NAMED_TOOLS: Final = frozenset(
    {
        "search_knowledge_base",
        "search_slack_messages",
        "search_current_events",
        "search_members",
        "search_companies",
        "get_knowledge_page_link",
        "find_channel_for_community_post",
        "start_community_conversation",
        "create_follow_up",
        "escalate_to_admin",
        "request_human_intervention",
        "create_fulfillment_request",
        "remember_user_preference",
        "list_user_preferences",
        "forget_user_preference",
        "set_dm_reply_style",
        "set_auto_reply_preference",
    }
)
_WORD: Final = re.compile(r"\w+")
# Where a sentence ends: before a space and a capital, or a placeholder that holds whole sentences. The gap is kept
# with what follows it, since such a value brings its own.
_SENTENCE_END: Final = re.compile(
    r"""(?:(?<=[.!?])|(?<=[.!?]["')])|(?<=\}\}))(?:(?=\s+[A-Z"'(\[<`])|(?=\{\{))"""
)


def without_absent_tools(text: str, *, tools: frozenset[str]) -> str:
    """The text as far as it concerns the tools at hand."""
    absent = NAMED_TOOLS - tools
    kept = (_pruned(line, absent) for line in text.split("\n"))
    return "\n".join(line for line in kept if line is not None)


def _pruned(line: str, absent: frozenset[str]) -> str | None:
    if not _names(line, absent):
        return line
    opening, *others = _SENTENCE_END.split(line)
    if _names(opening, absent):
        return None
    return "".join([opening, *(sentence for sentence in others if not _names(sentence, absent))])


def _names(text: str, tools: frozenset[str]) -> bool:
    return not tools.isdisjoint(_WORD.findall(text))
