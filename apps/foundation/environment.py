"""The one typed reader of the environment (contract §16)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Literal

from django.conf import settings
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_serializer,
    model_validator,
)

from apps.foundation.text import printable
from apps.foundation.variables import (
    SHORTEST_COOKIE_SECRET,
    Decimal,
    Domain,
    HeaderLine,
    JsonObject,
    Key,
    Model,
    PostgresAddress,
    RedisAddress,
    Site,
    Switch,
    WebAddress,
    Whole,
    Word,
    passwords_in,
    sound,
    without_passwords,
)

Effort = Literal["", "none", "minimal", "low", "medium", "high", "xhigh", "max"]
OWN_PREFIX = "ROOT_"
# Set to nothing these say "none"; every other empty variable counts as absent.
_EMPTY_COUNTS = frozenset({"llm_agent_reasoning_effort"})
# JSON is often laid out over several lines.
_MAY_BREAK = frozenset({"openrouter_provider_preferences"})
_MANY = 1_000_000_000
# What may carry a password in its middle: never shown whole.
_ADDRESSES = ("database_url", "redis_url")


class MalformedEnvironment(Exception):
    """A variable cannot be used; the message is one sentence that names it."""


class Environment(BaseModel):
    """Every variable Root knows, typed. Attribute names are the variables' in lower case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    port: Whole = Field(4000, ge=1, le=65535)
    database_url: PostgresAddress = "postgresql://localhost/root"
    redis_url: RedisAddress | None = None
    node_env: Literal["production", "development"] = "production"
    root_run_workers: Switch = False
    root_home: str = ".local"

    openrouter_api_key: Key | None = None
    openrouter_base_url: WebAddress = "https://openrouter.ai/api/v1"
    openrouter_provider_preferences: JsonObject | None = None
    openrouter_title: HeaderLine | None = None
    llm_model_default: Model = "google/gemini-3.5-flash"
    llm_model_planner: Model = "google/gemini-3.5-flash"
    llm_model_search: Model = "google/gemini-3.5-flash"
    llm_model_writing: Model = "anthropic/claude-sonnet-5"
    llm_model_reasoning: Model = "anthropic/claude-opus-4.8"
    llm_model_vision: Model = "google/gemini-3.5-flash"
    llm_model_image_generation: Model | None = None
    llm_model_web_research: Model = "perplexity/sonar-pro-search"
    llm_model_work_saved: Model | None = None
    llm_temperature: Decimal | None = Field(None, ge=0, le=2)
    llm_max_tokens: Whole | None = Field(None, ge=1, le=1_000_000)
    llm_agent_reasoning_effort: Effort = "medium"
    perplexity_api_key: Key | None = None
    perplexity_base_url: WebAddress = "https://api.perplexity.ai"

    opik_api_key: Key | None = None
    opik_project_name: str | None = None

    slack_bot_token: Key | None = None
    slack_signing_secret: Key | None = None
    slack_api_url: WebAddress = "https://slack.com/api"

    platform_base_url: Site | None = None
    platform_email_domain: Domain | None = None
    primitive_api_key: Key | None = None
    primitive_webhook_secret: Key | None = None
    primitive_api_url: WebAddress | None = None
    postmark_server_token: Key | None = None

    stytch_project_id: Word | None = None
    stytch_secret: Key | None = None
    session_cookie_secret: SecretStr | None = None
    platform_signup_code: SecretStr | None = None
    auth_dev_bypass: Switch = False

    search_llm_rerank: Switch = True
    search_keyword_rank: Literal["bm25", "spec"] = "bm25"
    slack_thread_artifacts: Switch = True

    root_max_knowledge_sources_per_tenant: Whole = Field(100, ge=0, le=_MANY)
    root_min_knowledge_sync_interval_minutes: Whole = Field(5, ge=1, le=43_200)
    root_knowledge_sync_per_tenant_cap: Whole = Field(2, ge=1, le=_MANY)
    root_slack_ingest_per_tenant_per_minute: Whole = Field(30, ge=1, le=_MANY)
    root_queue_alert_depth: Whole = Field(500, ge=1, le=_MANY)
    root_queue_alert_lag_seconds: Whole = Field(300, ge=1, le=_MANY)
    root_queue_alert_failures: Whole = Field(10, ge=1, le=_MANY)

    # Ours, beside the specification's.
    postmark_api_url: WebAddress = "https://api.postmarkapp.com"
    root_offline_model: Switch = False
    root_allow_private_hosts: Switch | None = None
    root_db_pool_size: Whole = Field(20, ge=2, le=500)
    root_turn_workers: Whole = Field(256, ge=1, le=2000)
    root_channel_turns_concurrency: Whole = Field(8, ge=1, le=200)

    @model_validator(mode="after")
    def _fit_for_production(self) -> Environment:
        secret = self.session_cookie_secret
        if self.is_production and secret and len(secret.get_secret_value()) < SHORTEST_COOKIE_SECRET:
            raise MalformedEnvironment(
                f"SESSION_COOKIE_SECRET must have at least {SHORTEST_COOKIE_SECRET} characters in production."
            )
        return self

    @field_serializer(*_ADDRESSES)
    def _shown(self, address: str | None) -> str | None:
        return without_passwords(address) if address else address

    def secrets(self) -> list[str]:
        """Every secret of this deployment, for whoever has to keep them out of something."""
        keys = [value.get_secret_value() for _, value in self if isinstance(value, SecretStr)]
        return keys + [word for name in _ADDRESSES for word in passwords_in(getattr(self, name))]

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            yield name, without_passwords(value) if name in _ADDRESSES and value else value

    @property
    def is_production(self) -> bool:
        """True unless development was asked for by name."""
        return self.node_env == "production"

    @property
    def allow_private_hosts(self) -> bool:
        """May outbound calls reach private addresses? An operator's choice; development says yes."""
        return (
            not self.is_production if self.root_allow_private_hosts is None else self.root_allow_private_hosts
        )


def read_environment(variables: Mapping[str, str] | None = None) -> Environment:
    """Reads and checks the variables; raises :class:`MalformedEnvironment` with one sentence."""
    source = dict(os.environ if variables is None else variables)
    _refuse_unknown(source)
    values: dict[str, Any] = {}
    for name in Environment.model_fields:
        text = source.get(name.upper())
        if text is not None and (text.strip() or name in _EMPTY_COUNTS):
            values[name] = _sound(name, text)
    try:
        return Environment.model_validate(values)
    except ValidationError as error:
        raise MalformedEnvironment(_sentence(error)) from None


def _sound(name: str, text: str) -> str:
    try:
        return sound(text, lines=name in _MAY_BREAK)
    except ValueError as error:
        raise MalformedEnvironment(f"{name.upper()} cannot be used: {error}.") from None


def _refuse_unknown(source: Mapping[str, str]) -> None:
    known = [name.upper() for name in Environment.model_fields]
    for name in sorted(source):
        if name.startswith(OWN_PREFIX) and name not in known:
            near = get_close_matches(name[:100], known, n=1)
            advice = f"did you mean {near[0]}?" if near else "remove it or correct its name."
            raise MalformedEnvironment(f"{printable(name[:100])} is not a setting Root knows; {advice}")


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    name = str(first["loc"][0]).upper()
    reason = first["msg"].removeprefix("Value error, ").rstrip(".")
    return f"{name} cannot be used: {reason[:1].lower()}{reason[1:]}."


def env() -> Environment:
    """The environment this process was started with."""
    current: Environment = settings.ENV
    return current


def require_for_serving(environment: Environment) -> None:
    """What a process that serves people cannot do without, as one sentence when it is missing."""
    if environment.is_production and environment.session_cookie_secret is None:
        raise MalformedEnvironment("SESSION_COOKIE_SECRET must be set in production: it signs every cookie.")
    if environment.is_production and environment.auth_dev_bypass:
        raise MalformedEnvironment("AUTH_DEV_BYPASS must not be set in production.")
