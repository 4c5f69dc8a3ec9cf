"""An escalation in a turn reaches the community's backend."""

from __future__ import annotations

import apps.agent.jobs  # noqa: F401 - registers the handler
from apps.tenancy import jobs
from tests.agent.asking import ask
from tests.fakes.backend import Reply
from tests.fakes.llm import calls, says
from tests.plugins.community import Community

ROUTE = "POST /integration/escalations"
SAID = {"escalation_reason": "Only the team can refund.", "user_request_summary": "Refund of the desk 😊"}


def test_an_escalation_of_a_turn_reaches_the_backend(community: Community) -> None:
    community.backend.answer(ROUTE, Reply({"success": True}))
    community.llm.reply(
        calls(("escalate_to_admin", SAID)), says("Nothing else is to be done."), says("I have told the team.")
    )
    ask(community, "refund me")
    jobs.run_due("notifications")
    (sent,) = community.backend.calls(ROUTE)
    whom = {"principal_ref": "p-ada", "user_name": "Ada", "tier": "member"}
    assert sent.signed and sent.json.items() >= {**SAID, **whom}.items()
