"""The one typed reader of the environment (contract §16)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from django.conf import settings
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

Switch = bool
OWN_PREFIX = "ROOT_"
# Set to nothing these say "none"; every other empty variable counts as absent.
_EMPTY_COUNTS = frozenset({"llm_agent_reasoning_effort"})


class MalformedEnvironment(Exception):
    """A variable cannot be used; the message is one sentence that names it."""


class Environment(BaseModel):
    """Every variable Root knows, typed. Attribute names are the variables' in lower case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    port: int = Field(4000, ge=1, le=65535)
    database_url: str = "postgresql://localhost/root"
    redis_url: str | None = None
    node_env: Literal["production", "development"] = "production"
    root_run_workers: Switch = False
    root_home: str = ".local"

    openrouter_api_key: SecretStr | None = None
    openrouter_base_url: str = "https://openrouter.ai/api/v1"
    openrouter_provider_preferences: dict[str, Any] | None = None
    openrouter_title: str | None = None
    llm_model_default: str = "google/gemini-3.5-flash"
    llm_model_planner: str = "google/gemini-3.5-flash"
    llm_model_search: str = "google/gemini-3.5-flash"
    llm_model_writing: str = "anthropic/claude-sonnet-5"
    llm_model_reasoning: str = "anthropic/claude-opus-4.8"
    llm_model_vision: str = "google/gemini-3.5-flash"
    llm_model_image_generation: str | None = None
    llm_model_web_research: str = "perplexity/sonar-pro-search"
    llm_model_work_saved: str | None = None
    llm_temperature: float | None = Field(None, ge=0, le=2)
    llm_max_tokens: int | None = Field(None, ge=1, le=1_000_000)
    llm_agent_reasoning_effort: str = "medium"
    perplexity_api_key: SecretStr | None = None
    perplexity_base_url: str = "https://api.perplexity.ai"

    opik_api_key: SecretStr | None = None
    opik_project_name: str | None = None

    slack_bot_token: SecretStr | None = None
    slack_signing_secret: SecretStr | None = None

    platform_base_url: str | None = None
    platform_email_domain: str | None = None
    primitive_api_key: SecretStr | None = None
    primitive_webhook_secret: SecretStr | None = None
    primitive_api_url: str | None = None
    postmark_server_token: SecretStr | None = None

    stytch_project_id: str | None = None
    stytch_secret: SecretStr | None = None
    session_cookie_secret: SecretStr | None = None
    platform_signup_code: SecretStr | None = None
    auth_dev_bypass: Switch = False

    search_llm_rerank: Switch = True
    search_keyword_rank: Literal["bm25", "spec"] = "bm25"
    slack_thread_artifacts: Switch = True

    root_max_knowledge_sources_per_tenant: int = Field(100, ge=0)
    root_min_knowledge_sync_interval_minutes: int = Field(5, ge=1, le=43_200)
    root_knowledge_sync_per_tenant_cap: int = Field(2, ge=1)
    root_slack_ingest_per_tenant_per_minute: int = Field(30, ge=1)
    root_queue_alert_depth: int = Field(500, ge=1)
    root_queue_alert_lag_seconds: int = Field(300, ge=1)
    root_queue_alert_failures: int = Field(10, ge=1)

    # Ours, beside the specification's.
    root_offline_model: Switch = False
    root_allow_private_hosts: Switch | None = None
    root_db_pool_size: int = Field(20, ge=2, le=500)
    root_turn_workers: int = Field(256, ge=1, le=2000)
    root_channel_turns_concurrency: int = Field(8, ge=1, le=200)

    @field_validator("database_url")
    @classmethod
    def _postgres(cls, value: str) -> str:
        if not value.startswith(("postgres://", "postgresql://")):
            raise ValueError("must start with postgres:// or postgresql://")
        try:
            conninfo_to_dict(value)
        except ProgrammingError:
            # The driver's own message quotes the address, password and all.
            raise ValueError("is not an address Postgres understands") from None
        return value

    @field_validator("redis_url")
    @classmethod
    def _redis(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(
            ("redis://", "rediss://", "unix://", "redis+socket://")
        ):
            raise ValueError("must start with redis://, rediss:// or unix://")
        if (
            value is not None
            and not value.startswith(("unix://", "redis+socket://"))
            and not _names_a_host(value)
        ):
            raise ValueError("names no host that can be reached")
        return value

    @field_validator("openrouter_base_url", "perplexity_base_url", "platform_base_url", "primitive_api_url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        if value is not None and not _names_a_host(value):
            raise ValueError("names no host that can be reached")
        return value.rstrip("/") if value is not None else None

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
    values: dict[str, Any] = {
        name: source[name.upper()]
        for name in Environment.model_fields
        if source.get(name.upper(), "").strip() or (name in _EMPTY_COUNTS and name.upper() in source)
    }
    try:
        _parse_preferences(values)
        return Environment.model_validate(values)
    except ValidationError as error:
        raise MalformedEnvironment(_sentence(error)) from None


def _names_a_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _refuse_unknown(source: Mapping[str, str]) -> None:
    for name in sorted(source):
        if name.startswith(OWN_PREFIX) and name.lower() not in Environment.model_fields:
            raise MalformedEnvironment(f"{name} is not a setting Root knows; remove it or correct its name.")


def _parse_preferences(values: dict[str, Any]) -> None:
    raw = values.get("openrouter_provider_preferences")
    if raw is None:
        return
    try:
        parsed = json.loads(raw)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise MalformedEnvironment("OPENROUTER_PROVIDER_PREFERENCES must be a JSON object.")
    values["openrouter_provider_preferences"] = parsed


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
