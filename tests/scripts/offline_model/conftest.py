"""One offline model for all tests here: loading it takes a second."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scripts.offline_model.embedder import Embedder
from scripts.offline_model.server import OfflineServer
from scripts.offline_model.service import Service

Json = dict[str, Any]


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return Embedder.load()


@pytest.fixture(scope="session")
def service(embedder: Embedder) -> Service:
    return Service(embedder)


@pytest.fixture(scope="session")
def address(embedder: Embedder) -> Iterator[str]:
    server = OfflineServer(embedder, host="127.0.0.1", port=0)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.fixture
def ask(service: Service) -> Callable[..., Json]:
    """The model's message to a conversation."""

    def asked(*messages: Json | str, **fields: Any) -> Json:
        sent = [{"role": "user", "content": m} if isinstance(m, str) else m for m in messages]
        message: Json = service.chat({"messages": sent, **fields})["choices"][0]["message"]
        return message

    return asked


@pytest.fixture
def looked_up(ask: Callable[..., Json]) -> Callable[..., str]:
    """The answer to a question when the named tools have brought these results."""

    def answered(question: str, *results: tuple[str, Any]) -> str:
        calls = [
            {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": "{}"}}
            for number, (name, _) in enumerate(results)
        ]
        told = [
            {
                "role": "tool",
                "tool_call_id": f"c{number}",
                "content": content if isinstance(content, str) else json.dumps(content),
            }
            for number, (_, content) in enumerate(results)
        ]
        assistant = {"role": "assistant", "content": None, "tool_calls": calls}
        text: str = ask({"role": "user", "content": question}, assistant, *told)["content"]
        return text

    return answered
