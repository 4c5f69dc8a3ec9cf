"""A noisy run over real processes, in which everybody repeats the secrets they know: none is written anywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db import connection

from apps.integrations.registration import rotate_secret
from apps.tenancy.api_keys import mint_key
from apps.tenancy.context import tenant_context
from apps.tenancy.models import LlmTokenUsage, TenantChannel, TenantCredential
from tests.acceptance.markers import Markers, readable_columns
from tests.fakes.backend import Recorded, Reply
from tests.fakes.llm import calls, fails, hidden_error, raw, says
from tests.plugins.community import Community
from tests.root_platform.processes import ROOT, Processes, Web

pytestmark = pytest.mark.serial

# Everything the deployment itself may be given; each is a secret.
DEPLOYMENT = (
    *("OPENROUTER_API_KEY", "PERPLEXITY_API_KEY", "OPIK_API_KEY", "SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"),
    *("PRIMITIVE_API_KEY", "PRIMITIVE_WEBHOOK_SECRET", "POSTMARK_SERVER_TOKEN", "STYTCH_SECRET"),
    *("SESSION_COOKIE_SECRET", "PLATFORM_SIGNUP_CODE"),
)
ADA = "ada@harbour.example"


@pytest.fixture
def markers() -> Markers:
    return Markers()


@pytest.fixture
def secrets_of_the_tenant(community: Community, markers: Markers) -> None:
    community.backend.secret = markers.new("signing secret")
    with tenant_context(community.tenant):
        from apps.integrations.models import Integration

        Integration.objects.update(signing_secret=community.backend.secret)
        TenantChannel.objects.create(type="web", secrets={"access_token": markers.new("web token")})
        TenantChannel.objects.create(
            type="slack",
            secrets={"bot_token": markers.new("bot token"), "signing_secret": markers.new("slack secret")},
        )
        TenantCredential.objects.create(kind="slack_bot_token", value=markers.new("credential"))
    for environment in ("live", "dev"):
        minted = mint_key(community.tenant, name="test", environment=environment)
        markers.keep(f"{environment} key", minted.secret)


@pytest.fixture
def processes(
    database_url: str, community: Community, secrets_of_the_tenant: None, markers: Markers, tmp_path: Path
) -> Iterator[Processes]:
    password = markers.new("database password")
    head, _, rest = database_url.partition("://")
    account, _, place = rest.partition("@")
    environment = {
        **os.environ,
        **{name: markers.new(name) for name in DEPLOYMENT},
        "DATABASE_URL": f"{head}://{account.partition(':')[0]}:{password}@{place}",
        "OPENROUTER_BASE_URL": community.llm.base_url,
    }
    environment.pop("REDIS_URL", None)
    found = Processes(environment, log=tmp_path / "processes.log")
    yield found
    found.end()


class Noise:
    """Talks to a web process and keeps all that comes back."""

    def __init__(self, web: Web, markers: Markers) -> None:
        self._web = web
        self._token = markers.named["web token"]
        self._foreign = markers.new("token of somebody else")
        self.heard: list[str] = []

    def ask(self, message: str, *, stream: bool = False) -> int:
        """A turn by somebody who holds the token."""
        path = "messages/stream" if stream else "messages"
        return self.send("POST", path, json={"message": message, "email": ADA, "thread_key": "t1"})

    def send(self, method: str, path: str, *, bearer: str | None = None, **request: Any) -> int:
        """Any request; what it is answered is kept, headers included."""
        headers = {"Authorization": f"Bearer {bearer or self._token}", **request.pop("headers", {})}
        address = (
            f"{self._web.base_url}/web/harbour/{path}"
            if not path.startswith("/")
            else self._web.base_url + path
        )
        reply = httpx.request(method, address, headers=headers, timeout=60, **request)
        # A cookie is the caller's own, and so is the address a sign-in page is asked to lead back to.
        theirs = {"set-cookie", "location"}
        headed = [(name, value) for name, value in reply.headers.items() if name not in theirs]
        self.heard.append(f"{method} {path} {reply.status_code} {headed}\n{reply.text}")
        return reply.status_code

    def nonsense(self) -> None:
        """Requests that are refused for every reason there is, each carrying a token where it can."""
        token, foreign = self._token, self._foreign
        for path in (
            "test",
            "messages",
            "nowhere",
            "/nowhere",
            "/admin/",
            "/health",
            "/",
            "/dev/simulate-message",
        ):
            for page in ("text/html", "application/json"):
                asked = {"headers": {"Accept": page}, "params": {"token": foreign, "api_key": token}}
                for method in ("GET", "POST", "DELETE"):
                    self.send(method, path, bearer=foreign, **asked)
        self.send("GET", "test", params={"token": token})
        for body in (
            f'{{"message": "{token}',
            f'["{token}"]',
            f'{{"message": 7, "{token}": "{token}"}}',
            token * 9000,
        ):
            for kind in ("application/json", "text/plain"):
                self.send("POST", "messages", content=body, headers={"Content-Type": kind})
        self.send("GET", "messages", headers={"Host": f"{foreign}.example"})
        self.send("GET", "messages", params={"thread_key": token * 40})


@pytest.fixture
def noise(processes: Processes, markers: Markers) -> Noise:
    return Noise(processes.web(), markers)


def all_that_it_knows(request: Recorded, secret: str) -> str:
    """What a careless backend puts into its error page."""
    return f"secret={secret} {json.dumps(request.headers)} {request.body.decode()}"


def careless(community: Community, status: int) -> Any:
    """A backend that answers with everything it knows."""

    def answer(request: Recorded) -> Reply:
        said = all_that_it_knows(request, str(community.backend.secret))
        return Reply({"success": False, "error": said, "data": {"said": said}}, status=status)

    return answer


def turns_that_fail_in_every_way(
    noise: Noise, community: Community, markers: Markers, *also: Any
) -> list[int]:
    """A backend and a model that repeat what they were sent, with every status they may send it under."""
    statuses = []
    for status in (200, 400, 401, 500):
        community.backend.answer("POST /integration/tools/search_members", careless(community, status))
        community.llm.reply(
            calls(("search_members", {"query": "pricing"}), text="Looking."),
            says("I have what I need for an answer now."),
            says("Nobody could be found in the directory."),
        )
        statuses.append(noise.ask("Who knows pricing?", stream=status == 400))
        community.llm.reset()
    community.backend.answer("POST /integration/identity/resolve", careless(community, 500))
    key = markers.named["OPENROUTER_API_KEY"]
    for failure in (
        fails(401, f"Incorrect API key provided: {key}"),
        fails(400, f"Authorization: Bearer {key}"),
        fails(403, f"{key} may not"),
        hidden_error(code=400, message=f"Bearer {key}"),
        *also,
    ):
        community.llm.answer_with(lambda _request, _headers, failure=failure: failure)
        statuses.append(noise.ask("hello there"))
    return statuses


@contextmanager
def a_table_missing() -> Iterator[None]:
    """Nobody's fault and nothing any view expects."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE tenant_channels RENAME TO tenant_channels_gone")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE tenant_channels_gone RENAME TO tenant_channels")


def printed_by(processes: Processes, *command: str) -> str:
    """What a command of ours shows its operator."""
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=processes.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


def everything_printed(processes: Processes, community: Community) -> str:
    with tenant_context(community.tenant):
        traces = sorted(set(LlmTokenUsage.objects.exclude(trace_id="").values_list("trace_id", flat=True)))
    shown = [printed_by(processes, "trace", trace) for trace in traces[::8]]
    shown += [printed_by(processes, "trace", trace, "--json") for trace in traces[::8]]
    assert any("trace     " in text for text in shown)
    shown += [
        printed_by(processes, *words)
        for words in (("jobs", "list"), ("integration", "list", "--tenant", "harbour"))
    ]
    return "\n".join(shown)


def test_a_noisy_run_writes_no_secret(
    processes: Processes, noise: Noise, community: Community, markers: Markers
) -> None:
    key = markers.named["OPENROUTER_API_KEY"].encode()
    # These two are tried again for a while, hence once.
    retried = (raw(b"<p>" + key, status=502, content_type="text/html"), raw(b"Bearer " + key))
    first = turns_that_fail_in_every_way(noise, community, markers, *retried)
    noise.nonsense()
    with a_table_missing():
        internal = [
            noise.send("GET", path, params={"token": markers.named["web token"]})
            for path in ("test", "messages")
        ]
    with tenant_context(community.tenant):
        community.backend.secret = markers.keep("signing secret after", rotate_secret("house").secret)
    second = turns_that_fail_in_every_way(noise, community, markers)

    assert first[:4] == second[:4] == [200] * 4 and internal == [500, 500]
    assert len(community.backend.calls("POST /integration/tools/search_members")) >= 8
    log = processes.log.read_text()
    assert "Traceback" in log and "/web/harbour/test" in log

    leaks = [f"log: {name}" for name in markers.found_in(log)]
    leaks += [f"answer: {name} {heard[:90]}" for heard in noise.heard for name in markers.found_in(heard)]
    leaks += [f"printed: {name}" for name in markers.found_in(everything_printed(processes, community))]
    leaks += [
        f"{table}.{column}: {name}"
        for table, column, text in readable_columns()
        for name in markers.found_in(text)
    ]
    assert sorted(set(leaks)) == []


def test_the_search_for_secrets_finds_one(community: Community, markers: Markers) -> None:
    marker = markers.new("planted")
    with tenant_context(community.tenant):
        TenantCredential.objects.create(kind="x", value=marker, metadata={"note": [marker]})
    found = [(table, column) for table, column, text in readable_columns() if markers.found_in(text)]
    assert found == [("tenant_credentials", "metadata")]
    assert markers.found_in(f"so {marker[:36]} it is") == ["planted"] and markers.found_in("so it is") == []
