"""A Root of its own for a while: embedded Postgres, a model that answers at once, one web process, one key."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from scripts.development.processes import Children
from scripts.embedded.postgres import embedded_postgres
from scripts.evaluation.surroundings import close_connections, start_django
from tests.fakes.llm import ScriptedLlm
from tests.fakes.llm_replies import says

ANSWER = "The house opens at eight."


@dataclass(frozen=True, slots=True)
class Served:
    """Where it answers, with what key, and where its logs are."""

    url: str
    key: str = field(repr=False)
    logs: Path


@contextmanager
def served(*, application: str = "root_platform.asgi:application") -> Iterator[Served]:
    """Everything is thrown away with the block."""
    with ExitStack() as stack:
        folder = tempfile.TemporaryDirectory(prefix="root-served-", ignore_cleanup_errors=True)
        home = Path(stack.enter_context(folder))
        home.chmod(0o755)
        model = stack.enter_context(ScriptedLlm())
        model.answer_with(lambda _request, _headers: says(ANSWER))
        _surroundings(stack.enter_context(embedded_postgres(home / "postgres", durable=False)), model)
        start_django()
        stack.callback(close_connections)
        key = _furnished()
        close_connections()
        children = Children(home / "logs")
        stack.callback(children.stop)
        url = _web(children, application)
        yield Served(url=url, key=key, logs=home / "logs")


def _surroundings(database_url: str, model: ScriptedLlm) -> None:
    for name in [n for n in os.environ if n.startswith(("ROOT_", "OPENROUTER_", "LLM_", "SLACK_"))]:
        del os.environ[name]
    os.environ.pop("REDIS_URL", None)  # the web process then runs its jobs itself
    os.environ.update(
        NODE_ENV="development",
        DATABASE_URL=database_url,
        OPENROUTER_BASE_URL=model.base_url,
        OPENROUTER_API_KEY="instant",
        SEARCH_LLM_RERANK="false",
    )


def _furnished() -> str:
    """A community with a page and a person, and its live key."""
    from apps.knowledge.pages import save_page
    from apps.tenancy.api_keys import mint_key
    from apps.tenancy.context import tenant_context
    from apps.tenancy.principals import PersonFacts, upsert
    from apps.tenancy.tenants import create_tenant

    tenant = create_tenant("harbour", display_name="Harbour Works", agent_name="Pilot", timezone="UTC")
    with tenant_context(tenant):
        save_page(title="Opening hours", slug="opening-hours", content_html=f"<p>{ANSWER}</p>")
        upsert(PersonFacts(ref="p-ada", display_name="Ada", tier="member"))
    return mint_key(tenant, name="proofs").secret


def _web(children: Children, application: str) -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", application, "--host", "127.0.0.1", "--port", str(port)]
    children.start("web", [*command, "--no-access-log"], environment=os.environ)
    url = f"http://127.0.0.1:{port}"
    children.wait_for(lambda: _healthy(url), what="the web process")
    return url


def _healthy(url: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=5) as reply:  # noqa: S310
        return bool(reply.status == 200)
    return False
