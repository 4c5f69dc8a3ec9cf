"""Prompts, preferences, interventions, every tool of the core, and the record of a turn."""

from __future__ import annotations

import uuid
from datetime import date
from typing import Any

from apps.agent import conversation_analytics, conversation_lists, memory, mentions, preferences
from apps.agent.conversation_lists import Wanted
from apps.agent.interventions import programs, system_failures
from apps.agent.interventions.opening import open_intervention
from apps.agent.kernel.types import ChatFailure
from apps.agent.models import ConversationLog, InterventionCategory, ReplyMention
from apps.agent.playbook.book import Playbook
from apps.agent.playbook.putting_in import only_for, plan, put_in
from apps.agent.playbook.taking_out import community_playbook
from apps.agent.preferences import Wish
from apps.agent.prompts import store
from apps.agent.record.reading import read_turn
from apps.agent.tools.catalogue import catalogue
from apps.agent.tools.declaration import Tool, ToolUse
from apps.agent.tools.execution import execute_tool
from apps.agent.tools.surface import Surface, surface_for
from apps.agent.turns import Caller, TurnRequest, run_turn
from apps.integrations import identity
from apps.integrations.rootint.registry import active_integrations
from apps.tenancy import principals
from tests.isolation.cast import EMAIL, REF, SLACK, Community
from tests.isolation.scripted import QUESTION
from tests.isolation.workspaces import LINK

KEY = "slack.policies_addendum"
OTHER_KEY = "slack.footer"
# How each tool of the core is asked. A tool that is not here fails the test that compares the two.
ASKED: dict[str, dict[str, Any]] = {
    "search_knowledge_base": {"query": "door code"},
    "get_knowledge_page_link": {"slug_or_url": "guests"},
    "save_knowledge_entry": {"title": "Bees", "content": "Hives on the roof."},
    "search_slack_messages": {"query": "kiln"},
    "who_knows": {"topic": "kiln"},
    "search_current_events": {"query": "what is new"},
    "list_my_slack_contributions": {},
    "add_my_slack_contribution": {"permalink": LINK},
    "refresh_my_slack_contribution": {},
    "remove_my_slack_contribution": {},
    "list_my_extracted_knowledge": {},
    "update_my_extracted_knowledge_entry": {},
    "delete_my_extracted_knowledge_entry": {},
    "remember_user_preference": {"instructions": "Answer briefly."},
    "list_user_preferences": {},
    "forget_user_preference": {},
    "escalate_to_admin": {"escalation_reason": "Help", "user_request_summary": "A key is lost."},
}
BACKENDS_ASKED = {"search_members": {"query": "keeper"}, "book_room": {"query": "noon"}}


def wishes(community: Community) -> object:
    person = identity.resolve(channel="web", email=EMAIL)
    kept = preferences.remember(person, Wish(instructions=f"Say hello to {community.marker}."))
    gone = preferences.remember(person, Wish(instructions=f"Never name {community.marker}."))
    preferences.forget(person, gone.preference.pk)
    taken = preferences.remember(person, Wish(instructions=f"Sing at {community.marker}."))
    return [kept, preferences.active_preferences(person), preferences.deactivate(taken.preference.pk)]


def additions(community: Community) -> object:
    store.save_addition(KEY, f"Policy of {community.marker}.", saved_by=f"by {community.marker}")
    seen = [store.additions(), store.stored_additions(), store.versions(KEY), store.text_of(KEY)]
    return [*seen, store.wording().addition(KEY)]


def playbooks(community: Community) -> object:
    wanted = Playbook(additions={community.slug: {OTHER_KEY: f"Footer of {community.marker}."}})
    mine = only_for(wanted, community.slug)
    done = [plan(mine), put_in(mine)]
    assert [change.tenant for change in done[1].additions] == [community.tenant] * len(done[1].additions)
    return [[change.text for change in each.additions] for each in done] + [
        community_playbook(community.tenant)
    ]


def matters(community: Community) -> object:
    """Two of one title and one cause, in each community."""
    for failure in (
        system_failures.no_answer(),
        system_failures.crash(ValueError(community.marker)),
        system_failures.model_failure(ChatFailure("timeout", f"None at {community.marker}.", retryable=True)),
    ):
        system_failures.report(failure, channel="web", trace_id="")
        system_failures.report(failure, channel="web", trace_id="")
    return open_intervention(
        InterventionCategory.REQUEST,
        channel="web",
        title="The same matter",
        details=f"Details of {community.marker}",
        metadata={"user_request_summary": f"Asked at {community.marker}"},
    )


def core_tools(community: Community) -> object:
    """All on offer here, one after another, as the kernel would run them."""
    offered = {tool.name: tool for tool in [*direct_message(community).tools, *surface(community).tools]}
    assert offered.keys() >= ASKED.keys() | BACKENDS_ASKED.keys()
    said = {
        name: use(offered[name], arguments)
        for name, arguments in {**ASKED, **BACKENDS_ASKED}.items()
        if arguments
    }
    listed = said["list_user_preferences"] = use(offered["list_user_preferences"], {})
    first = listed["data"]["preferences"][0]["preference_id"]
    said["forget_user_preference"] = use(offered["forget_user_preference"], {"preference_id": first})
    said |= _own_messages(offered)
    assert all(result["success"] for result in said.values()), said
    return said


def _own_messages(offered: dict[str, Tool]) -> dict[str, Any]:
    """What is listed is refreshed and taken back, an entry drawn from it changed and deleted."""
    said = {name: use(offered[name], {}) for name in ASKED if name.startswith("list_my_")}
    message = {
        "contribution_id": said["list_my_slack_contributions"]["data"]["contributions"][-1]["contribution_id"]
    }
    entry = {"slug": said["list_my_extracted_knowledge"]["data"]["entries"][0]["slug"]}
    words = {**entry, "title": "Kilns", "content": "As they are."}
    for name, arguments in (
        ("update_my_extracted_knowledge_entry", words),
        ("delete_my_extracted_knowledge_entry", entry),
        ("refresh_my_slack_contribution", message),
        ("remove_my_slack_contribution", message),
        ("add_my_slack_contribution", {"permalink": LINK}),
    ):
        said[name] = use(offered[name], arguments)
    return said


def surface(community: Community) -> Surface:
    person = identity.resolve(channel="web", email=EMAIL)
    question = QUESTION.format(marker=community.marker)
    return surface_for(person, channel="web", message=question, integrations=active_integrations())


def direct_message(community: Community) -> Surface:
    """Where more is on offer than elsewhere."""
    person = identity.resolve(channel="slack", slack_user_id=SLACK)
    return surface_for(
        person,
        channel="slack",
        message=QUESTION.format(marker=community.marker),
        integrations=active_integrations(),
        slack_channel_id="D1",
    )


def use(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    return tool.execute(arguments, ToolUse(invocation_id=uuid.uuid4(), report_progress=lambda _said: None))


def turns(community: Community) -> object:
    """The second goes on in the thread of the first, which has the same key everywhere."""
    request = TurnRequest(
        message=QUESTION.format(marker=community.marker),
        channel="web",
        caller=Caller(email=EMAIL),
        thread_key="same-thread",
    )
    outcomes = [run_turn(request), run_turn(request)]
    return [*outcomes, *(read_turn(outcome.trace_id) for outcome in outcomes)]


def run_by_programs(community: Community) -> object:
    """What a key's holder chooses from and runs, each twice under one id."""
    run_id = uuid.uuid4()
    caller = Caller(email=EMAIL)
    asked = {**BACKENDS_ASKED, "search_knowledge_base": ASKED["search_knowledge_base"]}
    runs = [
        execute_tool(name, arguments, caller=caller, invocation_id=uuid.uuid5(run_id, name))
        for name, arguments in (*asked.items(), *asked.items())
    ]
    assert all(run.success for run in runs), runs
    return [runs, catalogue()]


def log(community: Community) -> object:
    """What was said in the turns before, as programs read it; the search is for a word all communities said."""
    row = principals.chosen(ref=REF)
    said = [
        conversation_lists.messages(Wanted(principal_ref=REF, text="door"), after=None, limit=50),
        conversation_lists.messages(Wanted(first=date(2020, 1, 1)), after=None, limit=50),
    ]
    assert all(each.rows for each in said)
    assert {message.person_ref for message in said[0].rows} == {REF}
    numbers = conversation_analytics.analytics(group_by="day", principal_ref=REF)
    assert numbers.totals.messages == ConversationLog.objects.filter(principal=row).count() > 0
    said_of = [[message.message_text, message.person_name] for each in said for message in each.rows]
    return [said_of, said[0].counts, numbers, conversation_lists.labels([f"<@{SLACK}>"])]


def named(community: Community) -> object:
    """One answer names the person whom all communities know."""
    answer = ConversationLog.objects.filter(direction="outbound", principal_id__isnull=False)[0]
    ReplyMention.objects.update_or_create(
        principal=principals.chosen(ref=REF),
        conversation=answer,
        defaults={
            "channel": answer.channel,
            "matched_via": "name",
            "mentioned_at": answer.message_at,
        },
    )
    ranked, counted = mentions.leaderboard(tier="all", limit=9), mentions.counts(ref=REF)
    assert {each.principal.ref: each.mentions for each in ranked}[REF] == counted.total >= 1
    return [ranked, counted, [[row.excerpt, row.thread_key] for row in mentions.details(ref=REF)]]


def matters_of_programs(community: Community) -> object:
    opened = programs.open_for(
        {"email": EMAIL},
        category=InterventionCategory.REQUEST,
        channel="api",
        title="The same matter",
        details=f"Details of {community.marker}",
        metadata={"note": community.marker},
    )
    assert opened.person_ref == REF
    return [opened, *programs.matters(category="request", status="open")]


def forgotten(community: Community) -> object:
    """At the end: what is kept about the person, and then no longer."""
    before = memory.state_of(email=EMAIL)
    cleared = preferences.clear(before.principal)
    reset = memory.reset_memory(ref=REF, clear_preferences=True)
    after = memory.state_of(slack_user_id=SLACK)
    assert cleared == len(before.wishes) and not after.wishes and not reset.wishes_cleared
    return [before, reset, preferences.active_of(after.principal)]


DRIVERS = (
    wishes,
    additions,
    playbooks,
    matters,
    core_tools,
    turns,
    run_by_programs,
    log,
    named,
    matters_of_programs,
)
TAKING_AWAY = (forgotten,)
