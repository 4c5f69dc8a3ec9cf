"""The typed view of ``tenants.settings`` (contract §2.1, §9, §15.3)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from apps.foundation.errors import BadInput
from apps.tenancy.tiers import cleaned_tier


class _Section(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class Persona(_Section):
    """How the agent introduces itself."""

    identity: str = ""
    community_context: str = ""


def _tier(given: str) -> str:
    """As it will be stored with people, so that what is stored can be compared with the policy."""
    try:
        return cleaned_tier(given)
    except BadInput as error:
        raise ValueError(error.message) from None


class AccessPolicy(_Section):
    """Whom the channels vouch for when the tenant's backend does not (contract §9)."""

    slack: Literal["open", "integration"] = "open"
    email: Literal["domains", "integration"] = "domains"
    default_tier: Annotated[str, AfterValidator(_tier)] = "member"
    email_domains: list[str] = Field(default_factory=list)
    email_addresses: list[str] = Field(default_factory=list)
    dashboard_users: bool = True


class Runtime(_Section):
    """Switches of a running tenant."""

    follow_ups_enabled: bool = True


class AutoReply(_Section):
    """May the agent speak up unasked, and how sure must it be?"""

    enabled: bool = False
    level: Literal["high", "medium", "low"] = "high"


class Notifications(_Section):
    """Where escalations go besides the table."""

    escalation_emails: list[str] = Field(default_factory=list)
    slack_channel_id: str | None = None
    slack_user_ids: list[str] = Field(default_factory=list)
    integration: bool = True


class Limits(_Section):
    """A tenant's own limits; None means the platform's."""

    max_knowledge_sources: int | None = Field(None, ge=0)
    min_sync_interval_minutes: int | None = Field(None, ge=1, le=43_200)
    sync_cap: int | None = Field(None, ge=1)
    slack_ingest_per_minute: int | None = Field(None, ge=1)


class TenantSettings(_Section):
    """All of ``settings``; every part is optional."""

    persona: Persona = Persona()
    agent_character: str = ""
    logo_url: str | None = None
    public_base_url: str | None = None
    access: AccessPolicy = AccessPolicy()
    runtime: Runtime = Runtime()
    auto_reply: AutoReply = AutoReply()
    notifications: Notifications = Notifications()
    admin_emails: list[str] = Field(default_factory=list)
    limits: Limits = Limits()

    @classmethod
    def read(cls, stored: Any) -> Self:
        """Reads what is stored. A malformed part counts as unset, except that malformed access trusts nobody."""
        values = dict(stored) if isinstance(stored, dict) else {}
        for _ in range(len(values) + 1):
            try:
                return cls.model_validate(values)
            except ValidationError as error:
                for problem in error.errors():
                    values.pop(str(problem["loc"][0]), None)
                if "access" in {str(problem["loc"][0]) for problem in error.errors()}:
                    values["access"] = {
                        "slack": "integration",
                        "email": "integration",
                        "dashboard_users": False,
                    }
        return cls()

    @classmethod
    def problems(cls, offered: Any) -> list[str]:
        """What is wrong with settings somebody wants to store, a sentence each; empty when they are fine."""
        if not isinstance(offered, dict):
            return ["Settings must be a JSON object."]
        try:
            cls.model_validate(offered)
        except ValidationError as error:
            return [f"{'.'.join(map(str, e['loc']))}: {e['msg']}." for e in error.errors(include_url=False)]
        return []
