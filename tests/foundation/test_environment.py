"""One typed reader; a malformed variable is one sentence that names it."""

from __future__ import annotations

import pytest

from apps.foundation.environment import (
    Environment,
    MalformedEnvironment,
    read_environment,
    require_for_serving,
)

SPECIFIED = """
PORT DATABASE_URL REDIS_URL NODE_ENV ROOT_RUN_WORKERS OPENROUTER_API_KEY OPENROUTER_BASE_URL
OPENROUTER_PROVIDER_PREFERENCES OPENROUTER_TITLE LLM_MODEL_DEFAULT LLM_MODEL_PLANNER LLM_MODEL_SEARCH LLM_MODEL_WRITING
LLM_MODEL_REASONING LLM_MODEL_VISION LLM_MODEL_IMAGE_GENERATION LLM_MODEL_WEB_RESEARCH LLM_MODEL_WORK_SAVED
LLM_TEMPERATURE LLM_MAX_TOKENS LLM_AGENT_REASONING_EFFORT PERPLEXITY_API_KEY OPIK_API_KEY OPIK_PROJECT_NAME
SLACK_BOT_TOKEN SLACK_SIGNING_SECRET PLATFORM_BASE_URL PLATFORM_EMAIL_DOMAIN PRIMITIVE_API_KEY PRIMITIVE_WEBHOOK_SECRET
PRIMITIVE_API_URL POSTMARK_SERVER_TOKEN STYTCH_PROJECT_ID STYTCH_SECRET SESSION_COOKIE_SECRET PLATFORM_SIGNUP_CODE
AUTH_DEV_BYPASS SEARCH_LLM_RERANK SLACK_THREAD_ARTIFACTS ROOT_MAX_KNOWLEDGE_SOURCES_PER_TENANT
ROOT_MIN_KNOWLEDGE_SYNC_INTERVAL_MINUTES ROOT_KNOWLEDGE_SYNC_PER_TENANT_CAP ROOT_SLACK_INGEST_PER_TENANT_PER_MINUTE
""".split()  # noqa: SIM905


def test_every_specified_variable_is_known() -> None:
    assert [name for name in SPECIFIED if name.lower() not in Environment.model_fields] == []


def test_the_defaults_are_the_specified_ones() -> None:
    environment = read_environment({})
    assert (environment.port, environment.node_env, environment.is_production) == (4000, "production", True)
    assert environment.openrouter_base_url == "https://openrouter.ai/api/v1"
    assert environment.llm_agent_reasoning_effort == "medium"
    assert environment.root_slack_ingest_per_tenant_per_minute == 30
    assert not environment.allow_private_hosts
    assert read_environment({"NODE_ENV": "development"}).allow_private_hosts


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("PORT", "70000"),
        ("DATABASE_URL", "mysql://x"),
        ("DATABASE_URL", "postgresql://u:hunter2@[::bad/x"),
        ("DATABASE_URL", "postgresql://u:hunter2@h/x?sslmod=require"),
        ("REDIS_URL", "localhost"),
        ("NODE_ENV", "staging"),
        ("ROOT_RUN_WORKERS", "perhaps"),
        ("OPENROUTER_BASE_URL", "openrouter.ai"),
        ("OPENROUTER_PROVIDER_PREFERENCES", "{"),
        ("OPENROUTER_PROVIDER_PREFERENCES", "[1]"),
        ("LLM_TEMPERATURE", "warm"),
        ("LLM_MAX_TOKENS", "-1"),
        ("LLM_AGENT_REASONING_EFFORT", "enormous"),
        ("LLM_AGENT_REASONING_EFFORT", "Medium Rare"),
        ("PLATFORM_BASE_URL", "root.example"),
        ("PLATFORM_BASE_URL", "https://"),
        ("OPENROUTER_BASE_URL", "http://["),
        ("REDIS_URL", "redis://:hunter2@x:bad/0"),
        ("OPENROUTER_PROVIDER_PREFERENCES", "[" * 100_000),
        ("SEARCH_LLM_RERANK", "2"),
        ("SEARCH_KEYWORD_RANK", "tf"),
        ("ROOT_KNOWLEDGE_SYNC_PER_TENANT_CAP", "0"),
        ("ROOT_QUEUE_ALERT_DEPTH", "many"),
        ("ROOT_COLOUR", "blue"),
    ],
)
def test_a_malformed_variable_is_one_sentence_naming_it(name: str, value: str) -> None:
    with pytest.raises(MalformedEnvironment) as caught:
        read_environment({name: value})
    sentence = str(caught.value)
    assert name in sentence and sentence.endswith(".") and "\n" not in sentence
    assert "hunter2" not in sentence


def test_a_secret_never_shows_in_what_is_printed() -> None:
    environment = read_environment(
        {"OPENROUTER_API_KEY": "sk-very-secret", "SESSION_COOKIE_SECRET": "cookie-secret"}
    )
    assert "very-secret" not in repr(environment) and "cookie-secret" not in str(environment)


def test_empty_values_and_other_peoples_variables_do_not_count() -> None:
    environment = read_environment({"REDIS_URL": "", "LLM_TEMPERATURE": " ", "PATH": "/bin", "FOO": "1"})
    assert environment.redis_url is None and environment.llm_temperature is None


def test_an_empty_effort_means_none() -> None:
    assert read_environment({"LLM_AGENT_REASONING_EFFORT": ""}).llm_agent_reasoning_effort == ""


@pytest.mark.parametrize("effort", ["none", "minimal", "low", "medium", "high", "xhigh", "max"])
def test_every_effort_that_routers_know(effort: str) -> None:
    assert read_environment({"LLM_AGENT_REASONING_EFFORT": effort}).llm_agent_reasoning_effort == effort


def test_serving_in_production_needs_a_cookie_secret_and_no_bypass() -> None:
    with pytest.raises(MalformedEnvironment, match="SESSION_COOKIE_SECRET"):
        require_for_serving(read_environment({}))
    with pytest.raises(MalformedEnvironment, match="AUTH_DEV_BYPASS"):
        require_for_serving(read_environment({"SESSION_COOKIE_SECRET": "x", "AUTH_DEV_BYPASS": "true"}))
    require_for_serving(read_environment({"NODE_ENV": "development"}))
