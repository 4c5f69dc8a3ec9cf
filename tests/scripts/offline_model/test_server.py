"""The HTTP side: the provider's shapes, its errors, many at once."""

from __future__ import annotations

import base64
import http.client
import json
import subprocess
import sys
import time
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[3]
HELLO = {"messages": [{"role": "user", "content": "hello"}]}


def _send(address: str, method: str, path: str, body: bytes | Any = None) -> tuple[int, Any]:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    connection.request(method, parts.path + path, raw)
    response = connection.getresponse()
    answer = response.status, json.loads(response.read())
    connection.close()
    return answer


def test_health_and_models(address: str) -> None:
    assert _send(address.removesuffix("/v1"), "GET", "/health") == (200, {"status": "ok"})
    status, models = _send(address, "GET", "/models")
    assert status == 200
    assert [model["id"] for model in models["data"]] == [
        "offline/quoting-1",
        "offline/all-minilm-l6-v2-int8+orthonormal-1",
    ]


@pytest.mark.parametrize("prefix", ["", "/v1"])
def test_a_completion_has_the_providers_shape(address: str, prefix: str) -> None:
    status, answer = _send(address.removesuffix("/v1") + prefix, "POST", "/chat/completions", HELLO)
    assert status == 200
    assert answer["id"].startswith("gen-")
    assert answer["object"] == "chat.completion"
    assert answer["choices"][0]["message"]["role"] == "assistant"
    assert answer["choices"][0]["finish_reason"] == "stop"
    usage = answer["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > 0
    assert usage["cost"] == 0


def test_embeddings_as_numbers_and_as_base64(address: str) -> None:
    body = {"input": ["one", "two"], "dimensions": 3072, "model": "any"}
    _, numbers = _send(address, "POST", "/embeddings", body)
    _, encoded = _send(address, "POST", "/embeddings", {**body, "encoding_format": "base64"})
    assert numbers["model"] == "offline/all-minilm-l6-v2-int8+orthonormal-1"
    assert [item["index"] for item in numbers["data"]] == [0, 1]
    decoded = array("f", base64.b64decode(encoded["data"][1]["embedding"]))
    assert decoded.tolist() == pytest.approx(numbers["data"][1]["embedding"])
    assert len(decoded) == 3072


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 100_000,
        {}, {"messages": []}, {"messages": "hi"}, {"messages": [3]}, {"messages": [{"content": "x"}]},
        {"messages": [{"role": "robot", "content": "x"}]}, {"messages": [{"role": "user", "content": 5}]},
        {"messages": [{"role": "user"}, {"role": "assistant", "tool_calls": [{"id": 1}]}]},
        {**HELLO, "stream": True}, {**HELLO, "tools": {}}, {**HELLO, "tools": [{}]},
        {**HELLO, "tools": [{"function": {"name": ""}}]}, {**HELLO, "response_format": "json"},
        {**HELLO, "response_format": {"type": "json_schema"}},
    ],
)  # fmt: skip
def test_malformed_chats_are_refused_in_the_providers_shape(address: str, body: Any) -> None:
    status, answer = _send(address, "POST", "/chat/completions", body)
    assert status == 400
    assert answer["error"]["type"] == "invalid_request_error"
    assert answer["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [
        {}, {"input": []}, {"input": [""]}, {"input": ["ok", "  "]}, {"input": [1]}, {"input": None},
        {"input": "x" * 200_001}, {"input": ["x"] * 2_049}, {"input": "x", "dimensions": 384},
        {"input": "x", "encoding_format": "binary"},
    ],
)  # fmt: skip
def test_malformed_embeddings_are_refused(address: str, body: Any) -> None:
    status, answer = _send(address, "POST", "/embeddings", body)
    assert status == 400
    assert answer["error"]["type"] == "invalid_request_error"


def test_unknown_routes_are_404(address: str) -> None:
    assert _send(address, "POST", "/completions", {})[0] == 404
    assert _send(address, "GET", "/nothing")[0] == 404


@pytest.mark.parametrize(("length", "status"), [("99999999999", 413), ("-1", 411), ("x", 411), ("", 411)])
def test_bodies_without_a_sane_length_are_not_read(address: str, length: str, status: int) -> None:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    connection.putrequest("POST", "/v1/embeddings")
    if length:
        connection.putheader("content-length", length)
    connection.endheaders()
    response = connection.getresponse()
    assert response.status == status
    assert response.getheader("connection") == "close"
    connection.close()


def test_lone_surrogates_do_not_break_it(address: str) -> None:
    body = b'{"messages": [{"role": "user", "content": "\\ud83d where are guests \\u0000 welcome?"}]}'
    assert _send(address, "POST", "/chat/completions", body)[0] == 200
    assert _send(address, "POST", "/embeddings", b'{"input": "\\ud83d x"}')[0] == 200


def test_many_at_once_get_their_own_answers(address: str) -> None:
    texts = [f"text number {number}" for number in range(24)]

    def vector(text: str) -> list[float]:
        status, answer = _send(address, "POST", "/embeddings", {"input": text})
        assert status == 200
        found: list[float] = answer["data"][0]["embedding"]
        return found

    with ThreadPoolExecutor(12) as pool:
        together = list(pool.map(vector, texts))
    assert together == [vector(text) for text in texts]


def test_it_starts_as_a_program_says_its_port_and_stops(tmp_path: Path) -> None:
    port_file = tmp_path / "port"
    command = [sys.executable, "-m", "scripts.offline_model", "--port", "0", "--port-file", str(port_file)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            until = time.monotonic() + 60
            while not port_file.exists() and process.poll() is None and time.monotonic() < until:
                time.sleep(0.02)
            address = f"http://127.0.0.1:{port_file.read_text()}"
            assert _send(address, "GET", "/health") == (200, {"status": "ok"})
        finally:
            process.terminate()
        assert process.wait(timeout=30) == 0
