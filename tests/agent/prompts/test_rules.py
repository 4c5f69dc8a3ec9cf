"""The rules most easily lost when a text is edited: each by the words that carry it."""

from __future__ import annotations

import pytest

from apps.agent.prompts.guidance import built_in_lines
from apps.agent.prompts.registry import BASE, prompt

RULES: dict[str, tuple[str, ...]] = {
    BASE: (
        # who the agent is
        "NOT a member of this community",
        "no bio, no LinkedIn and no member profile",
        "explicitly and directly about YOUR identity",
        # content that was fetched already
        "[Shared image: ...]",
        "[Shared link: ...]",
        "[Full page content: ...] over the summary",
        "truncation marker",
        # saving what was asked for
        "immediately call the tool that SAVES it",
        "Do NOT call a read or get tool instead",
        # batching
        "run in PARALLEL",
        "run SERIALLY",
        "5-10 seconds",
        "ONLY when its inputs genuinely depend",
        # codes: both proofs, what is no proof, no extrapolation
        "a search made specifically for it",
        "verbatim earlier in this same thread AND belongs to the SAME thing",
        "neither compacted long-term memory nor a general context block",
        "do NOT extrapolate",
        "say that you don't know X, and search for it",
        # actions and third parties
        "NEVER claim that an action happened unless a tool call that performs it has succeeded",
        "NEVER act for a third party",
        "ALWAYS act for the sender of the message",
        '"ask them to message me directly."',
        "NEVER narrate hypothetical actions",
        "those are the ONLY ones",
        # affiliations
        "explicitly states that very tie",
        "the user's premise, NOT a verified fact",
        '"I verified" or "I can confirm"',
        "do NOT pad",
        # preferences
        "ONLY from the user's own messages",
    ),
    "slack.identity_addendum": ("Always speak of yourself in the first person", "2-3 to a message"),
    "slack.tool_usage_addendum": (
        "no app tabs",
        "hidden sections",
        "can ONLY reach their own creator",
        "something they CANNOT do",
        '"I\'ll send you a private DM at [time]"',
        "with or without a token",
        '"Here\'s a fresh link"',
        "do NOT say that the link expired",
        "do NOT lecture about tokens",
    ),
    "slack.formatting_section": (
        "CRITICAL: NEVER send the user to a Slack app tab",
        "NEVER write **double asterisks**",
        "(###, ##, #)",
        "•",
        "<URL|display text>",
        ":doc:",
        "a booking ID, a slot ID or any other internal identifier",
        "tool names, function calls or system internals",
    ),
    "slack.response_guideline_addendum": (
        '"You are responding to:"',
        "narrowest helpful response",
        "even less proactive",
        "always stop",
        '"(shared by <@SLACK_ID> - <URL|read more>)"',
        '"(shared by Name - <URL|read more>)"',
        '"_Sources: ..._"',
        "never omit, strip, reformat or paraphrase",
        "`recommended_by_slack_id`",
        "`author_slack_id`",
        "`user_id`",
        "MENTION GROUNDING (critical)",
        "within the SAME tool result record",
        "not even when they share a company",
        "do NOT borrow an id",
        "A wrong ping is worse than none",
        "in a public channel",
        "even when the tool result contains the link",
        "ONLY public channels and threads",
        "CONVERSATION SETTING",
    ),
    "slack.channel_context_block": (
        '"[Channel context]"',
        "NOT directed at you",
        "Respond ONLY to",
        "ARE always",
    ),
    "slack.dm_context_block": (
        "CONVERSATION SETTING:",
        "SHOULD be given right here",
        '"message you privately", "DM you" or "send you a direct message" NEVER',
        "always paste the link",
    ),
    "slack.footer": ("You are responding to: {{userName}}",),
    "slack.unresolved_guidance": (
        "Do NOT offer, do NOT promise and do NOT attempt",
        "until an admin links it",
    ),
    "shared.public_tier_guidance": (
        "never a malfunction, an outage or a gap",
        "NEVER apologize",
        "NEVER escalate to a human merely because a tool is absent",
        "warmly",
        "ONLY when one genuinely has to act",
        "explain plainly why",
    ),
    "shared.limited_tier_guidance": ('("{{tier}}")', "never treat it as a technical failure"),
    "slack.root_link_guidance_available": ("bare path or bare URL", "`?token=...`", "is discarded"),
    "slack.root_link_guidance_issuance_failed": (
        "send the request again",
        "NO working /kb/<slug> link",
        "Do NOT call",
    ),
    "slack.root_link_guidance_public_channel": (
        "ONLY inside a direct message",
        "removed or replaced",
        "Do NOT call",
    ),
    "email.root_portal_guidance_issuance_failed": ("email back in a moment", "Do NOT call"),
    "email.root_portal_guidance_unresolved_member": (
        "email address that their account is tied to",
        "Do NOT call",
    ),
    "email.identity_addendum": ('"Cheers, {{aiAssistantName}}"',),
    "email.context_block": (
        "the ACTUAL sender",
        '"Hi {{resolvedAccountName}}"',
        "does NOT give any of them authority",
        "`authorization_blocked: true`",
        '("refuse" or "clarify")',
        "`suggested_reply`",
    ),
    "email.non_member_mentor_addendum": (
        "critical",
        "even when knowledge base results describe it",
        "plainly",
    ),
    "email.formatting_section": (
        "[open the page](https://example.com/page)",
        '("- item")',
        "shorter than one in chat",
    ),
    "email.response_guideline_addendum": ("NEVER imply", "what is still needed"),
    "slack.thread_intent.system": (
        "exactly one intent",
        "follow_up_request",
        "conversational_nicety",
        "new_request",
        "one short line",
        "NEVER claims an action",
        "nicety_reply must be null",
    ),
    "slack.confidence_eval.system": (
        "HIGH (0.8–1.0)",
        "MEDIUM (0.4–0.7)",
        "LOW (0.0–0.3)",
        "score ≥ 0.6",
        "score LOW AND set is_safe_for_proactive_reply to false",
        "LOW all the same",
        "NEVER count it as a hallucination",
        "ONLY the flag",
        "copied VERBATIM from the draft",
        "names that came from the user",
        "an empty array",
        "caution that is not null",
        '"System-provided context"',
    ),
    "slack.low_confidence_repair.suffix": (
        "non-negotiable",
        "a hallucination and never a helpful deflection",
        'never claim "0" or "none"',
        "NEVER promise to check it yourself",
        "ONLY the repaired reply",
    ),
    "email.mentor_intent_classifier_system": (
        '"self_action"',
        '"third_party_action"',
        '"unclear"',
        "always self_action",
        'prefer "unclear"',
        "{ intent, reasoning }",
    ),
    "email.authorization_gate_system": (
        "ALWAYS PROCEED for escalate_to_admin",
        "whoever the sender is",
        "full stop",
        'With the verdict "refuse" and with the verdict "clarify" alike',
        "NEVER include a sign-off",
        "4–8 sentences",
        "{ verdict, reasoning, refusal_message }",
    ),
}
LINE_RULES: dict[tuple[str, str], tuple[str, ...]] = {
    ("knowledge_routing", "news_with_knowledge_base"): ("ALWAYS call", "in parallel", "never use"),
    ("knowledge_routing", "contact_at_a_company"): ("ALWAYS include {DIRECTORY} in the same parallel batch",),
    ("knowledge_routing", "people_before_general_knowledge"): ("before you fall back to general knowledge",),
    ("knowledge_routing", "list_of_names"): (
        "ALL the names in one call",
        "at most 8 names",
        "maximum result limit",
        "EVERY requested name",
        "only the names still uncovered",
        '"not found"',
        "count it against the user's source list",
        "re-run the lookup",
        "Never present",
    ),
    ("request_tools", "canonical_before_legacy"): ("ALWAYS prefer", "Never call both"),
    ("request_tools", "no_noted_without_call"): ("'noted' or 'recorded'",),
    ("request_tools", "no_logged_without_success"): ("actually succeeded", "was not logged"),
    ("request_tools", "only_physical"): ("ONLY", "emails, Slack messages, drafts, reminders, surveys"),
    ("request_tools", "wording"): ("unless the user explicitly used that term first",),
    ("preference_tools", "remember"): ("immediately",),
    ("preference_tools", "dm_reply_style"): (
        "nothing else actually changes delivery",
        "no effect on delivery",
    ),
    ("preference_tools", "auto_reply"): ("does NOT affect them", "never affects @-mentions, DMs or threads"),
    ("messaging_restriction", "team"): ("ALWAYS", "do NOT refuse", "do NOT leave it at offering a draft"),
    ("messaging_restriction", "community_conversation"): (
        "PUBLIC channel",
        "post ONLY after they confirm explicitly",
    ),
    ("community_conversation", "offer"): (
        "CLOSES with one short question",
        "single sentence",
        "sensitive",
        "declined",
    ),
    ("community_conversation", "current_topic"): ("MOST RECENTLY", "NEVER reuse", "do not guess"),
    ("community_conversation", "proposal"): ("ONE short message", 'do NOT call the text a "draft"'),
    ("community_conversation", "own_voice"): (
        "NEVER put a display name inside <@…>",
        "requester_slack_user_id",
    ),
    ("community_conversation", "cc"): ("cc_slack_user_ids", "ONLY ids that a tool result"),
}


@pytest.mark.parametrize(
    ("key", "phrase"), [(key, phrase) for key, phrases in RULES.items() for phrase in phrases]
)
def test_a_text_keeps_its_rule(key: str, phrase: str) -> None:
    assert phrase in prompt(key).default


@pytest.mark.parametrize(
    ("builder", "line_id", "phrase"),
    [(*name, phrase) for name, phrases in LINE_RULES.items() for phrase in phrases],
)
def test_a_line_keeps_its_rule(builder: str, line_id: str, phrase: str) -> None:
    line = next(line for line in built_in_lines()[builder] if line.id == line_id)
    assert phrase in line.text


def test_the_precedence_has_six_steps_in_order() -> None:
    line = next(line for line in prompt(BASE).default.split("\n") if "1. current {{messageNoun}}" in line)
    steps = ["{{messageNoun}}", "{{immediateContextDescription}}", "saved explicitly", "strongly implied"]
    places = [line.index(step) for step in [*steps, "conversation history", "default assistant behavior"]]
    assert places == sorted(places)
