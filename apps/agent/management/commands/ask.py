"""``manage.py ask "question"``: one turn from the command line."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from apps.agent.turns import Caller, SlackPlace, TurnOutcome, TurnRequest, run_turn
from apps.foundation.commands import SentenceCommand
from apps.tenancy.context import tenant_context
from apps.tenancy.tenants import find_tenant, only_tenant


class Command(SentenceCommand):
    help = "Asks a community's agent one question and prints the answer, its sources, its tools and what it used."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question")
        parser.add_argument(
            "--tenant", metavar="SLUG", help="the community; may be left out where there is one"
        )
        asker = parser.add_mutually_exclusive_group()
        asker.add_argument("--as", dest="email", metavar="EMAIL", help="ask as the person with this address")
        asker.add_argument("--slack-user", metavar="U…", help="ask as this Slack user, in a direct message")
        parser.add_argument("--replay", action="store_true", help="log nothing and start no after-work")
        parser.add_argument("--json", action="store_true", help="for machines")

    def perform(self, **options: Any) -> None:
        slack_user = options["slack_user"]
        request = TurnRequest(
            message=options["question"],
            channel="slack" if slack_user else "api",
            caller=Caller(email=options["email"], slack_user_id=slack_user),
            slack=SlackPlace(channel_id=f"D{slack_user}") if slack_user else None,
            source="command",
            replay=options["replay"],
        )
        with tenant_context(find_tenant(options["tenant"]) if options["tenant"] else only_tenant()):
            outcome = run_turn(request)
        if options["json"]:
            self.say(json.dumps(_as_json(outcome), ensure_ascii=False, indent=2))
        else:
            for line in _as_lines(outcome):
                self.say(line)
        if not outcome.success:
            raise CommandError("The turn did not succeed.")


def _as_json(outcome: TurnOutcome) -> dict[str, Any]:
    return {
        "response": outcome.response,
        "success": outcome.success,
        "tool_calls": [asdict(call) for call in outcome.tool_calls],
        "sources": [asdict(source) for source in outcome.sources],
        "trace_id": outcome.trace_id,
        "thread_key": outcome.thread_key,
        "usage": asdict(outcome.usage),
    }


def _as_lines(outcome: TurnOutcome) -> list[str]:
    usage = outcome.usage
    return [
        outcome.response,
        "",
        *[f"source  {source.title} ({source.url or source.ref})" for source in outcome.sources],
        *[
            f"tool    {call.name} {'done' if call.success else 'failed'} in {call.duration_ms} ms"
            for call in outcome.tool_calls
        ],
        f"used    {usage.llm_calls} model calls, {usage.tokens} tokens, ${usage.cost_usd:.4f}",
        f"trace   {outcome.trace_id}",
    ]
