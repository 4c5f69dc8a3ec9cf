"""What the real Opik package puts on the wire. Runs where the `tracing` extra is installed."""

from __future__ import annotations

import gzip
import importlib.util
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import pytest
from pydantic import SecretStr

from apps.foundation.trace import time_ordered_id
from apps.integrations.llm import chat, tracing
from apps.integrations.llm.opik_exporter import started
from apps.tenancy.models import Tenant
from tests.fakes.llm import ScriptedLlm, says

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("opik") is None, reason="the tracing extra is not installed"
)
PATIENCE_SECONDS = 60.0


class OpikServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[tuple[str, dict[str, str], Any]] = []

    def items(self, ending: str, field: str) -> list[dict[str, Any]]:
        bodies = [body for path, _, body in list(self.received) if path.endswith(ending)]
        return [item for body in bodies for item in body.get(field, [body])]


class _Handler(BaseHTTPRequestHandler):
    server: OpikServer

    def _receive(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.received.append((self.path, headers, json.loads(raw) if raw else {}))
        # Opik sends nothing until the server has told it that it is alive.
        self.send_response(200 if self.command == "GET" else 204)
        self.end_headers()

    do_GET = do_POST = do_PUT = do_PATCH = _receive  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@pytest.fixture
def server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpikServer]:
    running = OpikServer()
    threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("OPIK_URL_OVERRIDE", f"http://127.0.0.1:{running.server_port}/api")
    key = SecretStr("opik-secret")
    settings.ENV = settings.ENV.model_copy(update={"opik_api_key": key, "opik_project_name": "harbour"})
    started.forget()
    yield running
    started.forget()
    running.shutdown()
    running.server_close()


def eventually(found: Callable[[], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (items := found()):
        assert time.monotonic() < deadline, "nothing arrived"
        time.sleep(0.05)
    return items


def test_a_run_arrives_whole(server: OpikServer, llm: ScriptedLlm, in_tenant: Tenant) -> None:
    trace_id = time_ordered_id().hex
    llm.reply(says("hi", tokens=(100, 20), cost=0.25))
    with tracing.agent_trace("agent_run", trace_id=trace_id, given={"role": "user"}) as notes:
        chat.complete([{"role": "user", "content": "hello"}], purpose="p", span="planning_round_1")
        notes.result({"text": "hi"}, error="no_answer")
    tracing.log_feedback_score("capability_gap", 1.0, reason="none books boats", trace_id=trace_id)

    [trace] = eventually(lambda: server.items("/traces/batch", "traces"))
    assert (trace["id"], trace["name"], trace["project_name"]) == (
        str(UUID(trace_id)),
        "agent_run",
        "harbour",
    )
    assert (trace["input"], trace["output"]) == ({"role": "user"}, {"text": "hi"})
    assert trace["error_info"]["exception_type"] == "no_answer"
    [span] = eventually(lambda: server.items("/spans/batch", "spans"))
    assert (span["trace_id"], span["name"], span["type"]) == (trace["id"], "planning_round_1", "llm")
    assert span["usage"]["prompt_tokens"] == 100 and span["usage"]["total_tokens"] == 120
    assert (float(span["total_estimated_cost"]), span["model"]) == (0.25, "google/gemini-3.5-flash")
    [score] = eventually(lambda: server.items("/traces/feedback-scores", "scores"))
    assert (score["id"], score["name"], score["value"]) == (trace["id"], "capability_gap", 1.0)
    assert {headers.get("authorization") for _, headers, _ in server.received} == {"opik-secret"}
