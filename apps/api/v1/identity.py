"""POST /identity/resolve: who somebody is, asked of backends and channels (contract §6, §12.2)."""

from __future__ import annotations

from pydantic import BaseModel, Field
from rest_framework.request import Request

from apps.api.operation import TenantView, operation
from apps.api.persons import ByAddress
from apps.api.reading import Body
from apps.api.v1.principals import TAG, PrincipalShown, principal_shown
from apps.integrations import identity
from apps.tenancy.tiers import is_reserved


class Asked(ByAddress, Body):
    """Who is meant."""


class ActsForShown(BaseModel):
    """Somebody else they may act for."""

    reason: str
    ref: str
    display_name: str


class ResolvedShown(BaseModel):
    """Who it is."""

    resolved: bool = Field(description="Does a backend or the channel vouch for them?")
    principal: PrincipalShown | None = Field(description="Their record, if there is one.")
    tier: str = Field(description="The tier a turn of theirs would have.", examples=["member"])
    acts_for: ActsForShown | None


class Resolve(TenantView):
    """Asking."""

    @operation(
        "Find out who somebody is", name="identity_resolve", tag=TAG, body=Asked, answers={200: ResolvedShown}
    )
    def post(self, request: Request, body: Asked) -> ResolvedShown:
        """Asks the community's backends, then the access policy, and stores what they say.

        Somebody nobody vouches for is an answer, not an error.
        """
        person = identity.resolve(channel="api", email=body.email, slack_user_id=body.slack_user_id)
        acts_for = person.acts_for
        return ResolvedShown(
            resolved=not is_reserved(person.tier),
            principal=None if person.principal is None else principal_shown(person.principal),
            tier=person.tier,
            acts_for=None
            if acts_for is None
            else ActsForShown(
                reason=acts_for.reason,
                ref=acts_for.person.ref,
                display_name=acts_for.person.display_name,
            ),
        )
