"""Every text has a key, every key a text, and nothing asks for what nobody supplies."""

from __future__ import annotations

import re

import pytest

from apps.agent.prompts.guidance import built_in_lines
from apps.agent.prompts.pruning import NAMED_TOOLS
from apps.agent.prompts.registry import BASE, GROUPS, TEXTS, UnknownPrompt, prompt, prompts
from apps.agent.prompts.sections import CHANNEL_TEXTS, SLOTS
from apps.agent.prompts.values import short_values
from tests.agent.prompts.cast import facts

GIVEN_BY_ITS_BUILDER = {
    "botMentionLine",
    "rootWebCapabilities",
    "publicGuideFallbackSentence",
    "communityContext",
    "capabilities",
    "preferences",
    "memory",
    "senderLine",
    "delegationLines",
    "threadParticipantsLine",
    "resolvedAccountName",
    "resolvedAccountEmail",
    "resolvedAccountRole",
    "resolvedAccountProfileLine",
    "examples",
    "assistantQuestionNote",
}
FIELDS = {
    "recommended_by_slack_id",
    "author_slack_id",
    "user_id",
    "requester_slack_user_id",
    "cc_slack_user_ids",
    "authorization_blocked",
    "suggested_reply",
    "nicety_reply",
    "follow_up_request",
    "conversational_nicety",
    "new_request",
    "is_safe_for_proactive_reply",
    "unsupported_claims",
    "self_action",
    "third_party_action",
    "refusal_message",
    "slack_id",
    "_sources",
    "_italic_",
}


def test_texts_on_disk_and_keys_are_the_same_set() -> None:
    assert {file.stem for file in TEXTS.glob("*.txt")} == set(prompts())


def test_the_six_groups_are_all_in_use() -> None:
    assert tuple(dict.fromkeys(entry.group for entry in prompts().values())) == GROUPS


@pytest.mark.parametrize("key", ["nope.x", "", "shared.system.base ", "../secrets"])
def test_an_unknown_key_raises(key: str) -> None:
    with pytest.raises(UnknownPrompt):
        prompt(key)


def test_only_policies_start_out_empty() -> None:
    assert [key for key, entry in prompts().items() if not entry.default] == ["slack.policies_addendum"]


def test_every_placeholder_has_somebody_who_fills_it() -> None:
    supplied = set(SLOTS) | set(short_values(facts())) | GIVEN_BY_ITS_BUILDER
    for entry in prompts().values():
        assert entry.placeholders <= supplied, entry.key


def test_the_master_prompt_holds_every_slot() -> None:
    assert set(SLOTS) <= prompt(BASE).placeholders


def test_channels_use_registered_texts() -> None:
    for texts in CHANNEL_TEXTS.values():
        assert set(texts.values()) <= set(prompts())
        assert set(texts) <= set(SLOTS)


def test_every_tool_a_text_names_can_be_pruned() -> None:
    texts = [entry.default for entry in prompts().values() if entry.group != "internal"]
    texts += [line.text for lines in built_in_lines().values() for line in lines]
    named = {word for text in texts for word in re.findall(r"\b[a-z]+_[a-z_]+\b", text)}
    assert named - FIELDS <= NAMED_TOOLS
