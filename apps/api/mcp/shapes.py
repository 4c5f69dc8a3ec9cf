"""What the six tools take and give (contract §12.3)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from apps.agent.turn_values import Caller
from apps.agent.turns import MESSAGE_LIMIT
from apps.api.answers import Usage
from apps.api.people import Email, SlackUserId
from apps.api.reading import NO_NUL, SEEN, Body
from apps.foundation.errors import BadInput

MOST = 50
Question = Annotated[str, StringConstraints(pattern=SEEN, min_length=1, max_length=2_000)]
Status = Literal["found", "empty", "failed", "partial"]


class _Someone(Body):
    principal_email: Annotated[
        Email | None, Field(description="The e-mail address of the person this is for.")
    ] = None
    principal_slack_user_id: Annotated[
        SlackUserId | None, Field(description="Their Slack user id, if that is what is known.")
    ] = None

    def someone(self) -> Caller | None:
        """The person, if one was named."""
        if self.principal_email is None and self.principal_slack_user_id is None:
            return None
        return Caller(email=self.principal_email, slack_user_id=self.principal_slack_user_id)

    def caller(self) -> Caller:
        """The person; raises :class:`BadInput` when none was named."""
        someone = self.someone()
        if someone is None:
            raise BadInput("Say for whom: principal_email or principal_slack_user_id is required.")
        return someone


class AskAgent(_Someone):
    """A message to the agent. One of ``principal_email`` and ``principal_slack_user_id`` is required."""

    message: Annotated[str, StringConstraints(pattern=SEEN, min_length=1, max_length=MESSAGE_LIMIT)]
    thread_key: Annotated[
        Annotated[str, StringConstraints(pattern=NO_NUL, max_length=500)] | None,
        Field(description="Continues the conversation of an earlier answer."),
    ] = None


class ListTools(_Someone):
    """For one person, or without one for members as such."""


class CallTool(_Someone):
    """A tool and its arguments. One of ``principal_email`` and ``principal_slack_user_id`` is required."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    arguments: Annotated[dict[str, Any], Field(description="As the tool's input_schema wants them.")] = Field(
        default_factory=dict
    )


class SearchKnowledge(_Someone):
    """A question to the knowledge base; as one person, or as members see it."""

    query: Question
    limit: Annotated[int, Field(ge=1, le=MOST)] = 10


class SearchSlack(_Someone):
    """A question to what was said in public channels."""

    query: Question
    limit: Annotated[int, Field(ge=1, le=MOST)] = 10


class WhoKnows(_Someone):
    """A topic somebody may know about."""

    topic: Question
    limit: Annotated[int, Field(ge=1, le=20)] = 5


class CallMade(BaseModel):
    name: str
    success: bool
    duration_ms: int


class Answer(BaseModel):
    """The agent's answer. ``success`` false: it says honestly why there is none, or what failed."""

    response: str
    success: bool
    tool_calls: list[CallMade]
    usage: Usage
    trace_id: str
    thread_key: str


class ToolListed(BaseModel):
    name: str
    label: str
    description: str
    input_schema: dict[str, Any]
    read_only: bool
    origin: Literal["core", "integration", "community"]
    provider: str


class ToolsListed(BaseModel):
    tools: list[ToolListed]


class ToolRan(BaseModel):
    """What the tool said. ``outcome_unknown``: an action that may have taken effect; do not repeat it."""

    success: bool
    data: Any = None
    error: str | None = None
    outcome_unknown: bool = False
    usage: Usage
    trace_id: str


class PageFound(BaseModel):
    title: str
    slug: str
    uri: str = Field(description="The page as a resource.")
    source_url: str | None
    section: str | None
    text: str
    nearby: list[str]
    author: str | None
    source_type: str
    score: float


class PagesFound(BaseModel):
    """``degraded`` names the parts of the search that gave no answer; only ``empty`` means that nothing matched."""

    status: Status
    degraded: list[str]
    results: list[PageFound]


class MessageFound(BaseModel):
    kind: Literal["message", "thread_summary", "author_burst"]
    channel: str | None
    author: str | None
    author_slack_id: str | None
    date: str | None
    text: str
    question: str
    resolution: str
    in_reply_to: str | None
    permalink: str | None
    score: float


class MessagesFound(BaseModel):
    """``loose``: no message holds the words asked for; these are merely the nearest."""

    status: Status
    degraded: list[str]
    loose: bool
    results: list[MessageFound]


class ExpertFound(BaseModel):
    name: str
    slack_user_id: str
    messages_on_topic: int
    last_wrote: str | None
    evidence: list[MessageFound]


class ExpertsFound(BaseModel):
    """People who wrote about the topic; whether they know it is for the reader of the evidence to judge."""

    status: Status
    degraded: list[str]
    results: list[ExpertFound]
