"""One typed reader; a malformed variable is one sentence that names it."""

from __future__ import annotations

from typing import Any

import pytest

from apps.foundation.environment import (
    Environment,
    MalformedEnvironment,
    read_environment,
    require_for_serving,
)
from tests.foundation.malformed import MALFORMED

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


def test_every_variable_has_malformed_values_here() -> None:
    assert {name.lower() for name in MALFORMED} == set(Environment.model_fields)


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_variable_is_one_sentence_naming_it(name: str) -> None:
    accepted = []
    for value in MALFORMED[name]:
        try:
            read_environment({name: value})
        except MalformedEnvironment as error:
            sentence = str(error)
            assert name in sentence and sentence[-1] in ".?" and sentence.isprintable(), value[:80]
            assert "hunter2" not in sentence and "Evil" not in sentence and len(sentence) < 200
        else:
            accepted.append(value[:80])
    assert accepted == []


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("ROOT_RUN_WORKER", "did you mean ROOT_RUN_WORKERS?"),
        ("ROOT_ALLOW_PRIVATE_HOST", "did you mean ROOT_ALLOW_PRIVATE_HOSTS?"),
        ("ROOT_DB_POOLSIZE", "did you mean ROOT_DB_POOL_SIZE?"),
        ("ROOT_COLOUR_OF_THE_DOOR", "remove it or correct its name."),
        ("ROOT_\n\x1b[2J", "remove it or correct its name."),
        ("ROOT_" + "X" * 9000, "remove it or correct its name."),
    ],
)
def test_an_unknown_name_of_ours_is_refused_with_the_nearest_one(name: str, advice: str) -> None:
    with pytest.raises(MalformedEnvironment) as caught:
        read_environment({name: "hunter2"})
    sentence = str(caught.value)
    assert (
        sentence.endswith(advice)
        and "hunter2" not in sentence
        and "\x1b" not in sentence
        and len(sentence) < 300
    )


@pytest.mark.parametrize("word", ["true", "TRUE", "yes", "on", "1", " true\n"])
def test_words_for_yes(word: str) -> None:
    assert read_environment({"ROOT_RUN_WORKERS": word}).root_run_workers is True


@pytest.mark.parametrize("word", ["false", "False", "no", "off", "0"])
def test_words_for_no(word: str) -> None:
    assert read_environment({"SEARCH_LLM_RERANK": word}).search_llm_rerank is False


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("PLATFORM_BASE_URL", "https://root.example/", "https://root.example"),
        ("PLATFORM_BASE_URL", "http://[::1]:4000", "http://[::1]:4000"),
        ("OPENROUTER_BASE_URL", "http://host_1:11434/v1/", "http://host_1:11434/v1"),
        ("PLATFORM_EMAIL_DOMAIN", "Mail.MÜLLER.example", "mail.xn--mller-kva.example"),
        (
            "DATABASE_URL",
            "postgresql:///root?host=/run/pg&port=5433",
            "postgresql:///root?host=/run/pg&port=5433",
        ),
        ("DATABASE_URL", "postgres://u:p%40ss@a:1,b:2/root", "postgres://u:p%40ss@a:1,b:2/root"),
        ("REDIS_URL", "rediss://:pw@h:6380/3?ssl_cert_reqs=none", "rediss://:pw@h:6380/3?ssl_cert_reqs=none"),
        ("REDIS_URL", "unix:///run/v.sock?db=2", "unix:///run/v.sock?db=2"),
        ("LLM_MODEL_DEFAULT", "hf.co/acme/Model-7B:Q4_K_M", "hf.co/acme/Model-7B:Q4_K_M"),
        ("LLM_TEMPERATURE", "0.70", 0.7),
        ("OPIK_PROJECT_NAME", "Café Root", "Café Root"),
        ("OPENROUTER_PROVIDER_PREFERENCES", '{\n\t"order": ["a"]\n}', {"order": ["a"]}),
        ("LLM_MODEL_WRITING", " own/model\n", "own/model"),
    ],
)
def test_what_people_do_write_is_understood(name: str, value: str, read: Any) -> None:
    assert getattr(read_environment({name: value}), name.lower()) == read


ADDRESSES = {
    "DATABASE_URL": "postgresql://ada:hunter2%2F@db.example/root?sslpassword=hunter2tls",
    "REDIS_URL": "rediss://ada:hunter2@redis.example:6380/0?password=hunter2too",
}


def test_passwords_in_addresses_never_show() -> None:
    environment = read_environment(ADDRESSES)
    for shown in (
        *(repr(environment), str(environment), repr(environment.model_dump()), environment.model_dump_json()),
        *(
            repr(environment.model_copy(update={"redis_url": ADDRESSES["REDIS_URL"] + "&db=1"})),
            f"{environment!r}",
        ),
    ):
        assert "hunter2" not in shown and "db.example" in shown and "redis.example" in shown
    assert environment.database_url == ADDRESSES["DATABASE_URL"]


def test_all_secrets_are_known_to_whoever_hides_them() -> None:
    secrets = read_environment(
        {**ADDRESSES, "OPENROUTER_API_KEY": "sk-one", "STYTCH_SECRET": "two"}
    ).secrets()
    assert {"sk-one", "two", "hunter2/", "hunter2%2F", "hunter2tls", "hunter2too", "hunter2"} <= set(secrets)


def test_a_secret_never_shows_in_what_is_printed() -> None:
    environment = read_environment(
        {"OPENROUTER_API_KEY": "sk-very-secret", "SESSION_COOKIE_SECRET": "cookie-secret" * 3}
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
        require_for_serving(read_environment({"SESSION_COOKIE_SECRET": "x" * 32, "AUTH_DEV_BYPASS": "true"}))
    require_for_serving(read_environment({"SESSION_COOKIE_SECRET": "x" * 32}))
    require_for_serving(read_environment({"NODE_ENV": "development", "SESSION_COOKIE_SECRET": "short"}))
