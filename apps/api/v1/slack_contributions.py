"""/slack/contributions: a person's public Slack messages among what searches find (contract §5.1, §12.2)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from rest_framework.request import Request

from apps.api.operation import Answered, TenantView, operation
from apps.api.paging import Page, Paged, page_of
from apps.api.persons import ByOneName, PersonNamed, PersonQuery
from apps.api.reading import Body
from apps.foundation.errors import BadInput, Conflict
from apps.knowledge.slack_index import contributions
from apps.knowledge.slack_index.contributions import Changed, Contribution, State

TAG: Final = "Slack contributions"
Permalink = Annotated[
    str,
    StringConstraints(
        pattern=(
            r"^https://[A-Za-z0-9][A-Za-z0-9.-]{0,100}\.slack(-gov)?\.com/archives/[CGD][A-Z0-9]{1,40}"
            r"/p[0-9]{16}(\?[A-Za-z0-9_=&;.%-]{0,300})?$"
        )
    ),
    Field(
        description="The message's link as Slack copies it.",
        examples=["https://harbour.slack.com/archives/C0GENERAL/p1790000000000100"],
    ),
]


class AuthorQuery(ByOneName, Paged):
    """Whose contributions."""


class Contributed(Body):
    """A message and who wrote it."""

    principal: PersonNamed
    permalink: Permalink


class AuthorSent(Body):
    """Whose contribution it is."""

    principal: PersonNamed


class ContributionShown(BaseModel):
    """A message in the index."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    channel: str
    text: str
    written_at: datetime
    permalink: str | None
    in_thread: bool


class ChangedShown(BaseModel):
    """What became of a contribution; it is null once Slack no longer has the message."""

    status: State
    contribution: ContributionShown | None


class RemovedShown(BaseModel):
    """What is left of a contribution."""

    entries_drawn_from_it: Annotated[
        list[str],
        Field(description="Slugs of pages that were once drawn from the message; they stay until deleted."),
    ]


class Contributions(TenantView):
    """Those of one person."""

    @operation(
        "List a person's contributions",
        name="slack_contributions_list",
        tag=TAG,
        answers={200: Page[ContributionShown]},
        query=AuthorQuery,
        refuses={404},
    )
    def get(self, request: Request, query: AuthorQuery) -> Page[ContributionShown]:
        """Messages of theirs that searches find, the latest first. 403: they have no Slack account here."""
        rows = contributions.rows_of(contributions.author_named(**query.named()))
        return page_of(rows, query, by="message_date", show=lambda row: _shown(contributions.told(row)))

    @operation(
        "Add a contribution",
        name="slack_contributions_add",
        tag=TAG,
        answers={201: ChangedShown, 200: ChangedShown},
        body=Contributed,
        refuses={404, 409},
    )
    def post(self, request: Request, body: Contributed) -> Answered:
        """A public message that this person wrote, also one that was removed before. Slack is asked for it."""
        author = contributions.author_named(**body.principal.named())
        try:
            changed = contributions.add_contribution(author, body.permalink)
        except BadInput as error:
            raise Conflict(error.message) from None
        return Answered(status=201 if changed.state == "added" else 200, body=_changed(changed))


class OneContribution(TenantView):
    """One of them."""

    @operation(
        "Remove a contribution",
        name="slack_contributions_remove",
        tag=TAG,
        answers={200: RemovedShown},
        query=PersonQuery,
        refuses={404},
    )
    def delete(self, request: Request, contribution_id: UUID, query: PersonQuery) -> RemovedShown:
        """Searches no longer find the message; in Slack it stays where it is."""
        author = contributions.author_named(**query.named())
        return RemovedShown(
            entries_drawn_from_it=contributions.remove_contribution(author, str(contribution_id))
        )


class Refresh(TenantView):
    """One of them, read again."""

    @operation(
        "Refresh a contribution",
        name="slack_contributions_refresh",
        tag=TAG,
        answers={200: ChangedShown},
        body=AuthorSent,
        refuses={404, 409},
    )
    def post(self, request: Request, contribution_id: UUID, body: AuthorSent) -> ChangedShown:
        """After its author edited or deleted the message in Slack."""
        author = contributions.author_named(**body.principal.named())
        try:
            return _changed(contributions.refresh_contribution(author, str(contribution_id)))
        except BadInput as error:
            raise Conflict(error.message) from None


def _changed(changed: Changed) -> ChangedShown:
    told = changed.contribution
    return ChangedShown(status=changed.state, contribution=_shown(told) if told else None)


def _shown(contribution: Contribution) -> ContributionShown:
    return ContributionShown.model_validate(contribution)
