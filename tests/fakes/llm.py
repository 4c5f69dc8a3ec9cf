"""A scripted OpenAI-compatible server on 127.0.0.1: tests say what it answers and read what it was asked.

    llm.reply(calls(("search_knowledge_base", {"query": "guests"})), says("Guests are welcome."))
    llm.reply(says_json({"match": False}), purpose="action-alerts.evaluate")
    llm.answer_with(lambda request, headers: says("…"))          # instead of a queue, or per purpose

A reply queued for the request's purpose goes first, then the general queue, then the callable. A call nobody
scripted is refused with 403 (which no caller retries) and kept in `llm.unexpected`.
"""

import json
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.fakes import word_vectors
from tests.fakes.llm_replies import (
    Json,
    Reply,
    calls,
    drops,
    fails,
    hidden_error,
    html,
    no_choices,
    raw,
    says,
    says_json,
    without_usage,
)
from tests.fakes.llm_rules import fault_of

__all__ = [
    "EMBEDDER",
    "EmbeddingManners",
    "Reply",
    "Request",
    "ScriptedLlm",
    "calls",
    "drops",
    "fails",
    "hidden_error",
    "html",
    "no_choices",
    "raw",
    "says",
    "says_json",
    "without_usage",
]

EMBEDDER = "scripted/word-vectors-1"
Responder = Callable[[Json, Mapping[str, str]], Reply]


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request as it arrived; header names are lower case."""

    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def purpose(self) -> str:
        return self.headers.get("x-root-purpose", "")

    @property
    def tool_names(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools") or []]

    @property
    def text(self) -> str:
        """Everything the model could read, for `in` checks."""
        return json.dumps(self.body.get("messages"), ensure_ascii=False)


@dataclass(kw_only=True)
class EmbeddingManners:
    """How /embeddings behaves; the defaults behave as OpenAI does."""

    model: str = EMBEDDER
    max_tokens: int = 8192  # an input beyond it is refused, as is a blank one
    max_inputs: int = 2048
    cost: float = 0.00001
    delay: float = 0.0
    refuses: Callable[[str], bool] = field(default=lambda text: False)  # 400 when any input is refused
    replies: deque[Reply] = field(default_factory=deque)  # sent instead of vectors, one a request
    reverse_order: bool = False
    without_index: bool = False
    drop_last: bool = False
    dimensions: int | None = None  # a wrong length for every vector


class ScriptedLlm:
    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.unexpected: list[Request] = []
        self.embedding = EmbeddingManners()
        self.strict = True  # refuse transcripts a real provider refuses
        self.delay = 0.0  # seconds before every chat answer
        self._queues: dict[str | None, deque[Reply]] = defaultdict(deque)
        self._responders: dict[str | None, Responder] = {}
        self._lock = threading.Lock()
        self._server: _Server | None = None

    @classmethod
    def start(cls) -> Self:
        """A running one; `with ScriptedLlm() as llm` does the same for a block."""
        return cls().__enter__()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> Self:
        self._server = _Server(self)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        assert self._server is not None, "start() comes first"
        return f"http://127.0.0.1:{self._server.server_port}/api/v1"

    def reply(self, *replies: Reply, purpose: str | None = None) -> None:
        with self._lock:
            self._queues[purpose].extend(replies)

    def answer_with(self, responder: Responder, *, purpose: str | None = None) -> None:
        self._responders[purpose] = responder

    def reset(self) -> None:
        """Forgets requests, replies and manners; the address stays."""
        with self._lock:
            self.requests.clear()
            self.unexpected.clear()
            self._queues.clear()
            self._responders.clear()
            self.embedding = EmbeddingManners()
            self.strict, self.delay = True, 0.0

    @property
    def chats(self) -> list[Request]:
        return [request for request in list(self.requests) if request.path.endswith("/chat/completions")]

    @property
    def embeddings(self) -> list[Request]:
        return [request for request in list(self.requests) if request.path.endswith("/embeddings")]

    def chats_for(self, purpose: str) -> list[Request]:
        return [request for request in self.chats if request.purpose == purpose]

    def respond(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
        if request.path.endswith("/embeddings"):
            return self._embed(request.body)
        if request.path.endswith("/chat/completions"):
            return self._chat(request)
        return fails(404, f"no such route: {request.path}")

    def _chat(self, request: Request) -> Reply:
        if self.strict and (fault := fault_of(request.body)):
            return fails(400, fault)
        reply = self._scripted(request)
        time.sleep(self.delay)
        return reply

    def _scripted(self, request: Request) -> Reply:
        for key in (request.purpose, None):
            with self._lock:
                if self._queues[key]:
                    return self._queues[key].popleft()
            if responder := self._responders.get(key):
                return responder(request.body, request.headers)
        with self._lock:
            self.unexpected.append(request)
        return fails(403, f"nothing is scripted for purpose {request.purpose!r}")

    def _embed(self, body: Json) -> Reply:
        manners = self.embedding
        time.sleep(manners.delay)
        with self._lock:
            if manners.replies:
                return manners.replies.popleft()
        texts = [body["input"]] if isinstance(body.get("input"), str) else body.get("input")
        if not isinstance(texts, list) or not 0 < len(texts) <= manners.max_inputs:
            return fails(400, "input must be a text or a list of texts")
        if any(_refused(text, manners) for text in texts):
            return fails(400, "an input is empty, too long or refused")
        return Reply(payload=_vectors(texts, manners, body))


def _refused(text: Any, manners: EmbeddingManners) -> bool:
    if not isinstance(text, str) or not text.strip():
        return True
    return len(text) / 4 > manners.max_tokens or manners.refuses(text)


def _vectors(texts: list[str], manners: EmbeddingManners, body: Json) -> Json:
    data = [
        {"object": "embedding", "index": i, "embedding": _vector(t, manners, body)}
        for i, t in enumerate(texts)
    ]
    if manners.reverse_order:
        data.reverse()
    if manners.drop_last:
        data.pop()
    if manners.without_index:
        data = [{key: value for key, value in item.items() if key != "index"} for item in data]
    tokens = sum(len(text) // 4 + 1 for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens, "cost": manners.cost}
    return {"object": "list", "model": manners.model, "data": data, "usage": usage}


def _vector(text: str, manners: EmbeddingManners, body: Json) -> list[float] | str:
    vector = word_vectors.embed(text)[: manners.dimensions]
    return word_vectors.as_base64(vector) if body.get("encoding_format") == "base64" else vector


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, llm: ScriptedLlm) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.llm = llm

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is part of the tests, not news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body leave in one packet; apart they wait 40 ms for an acknowledgement
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return self._send(fails(400, "the body is not a JSON object"), model="")
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.llm.respond(Request(path=self.path, headers=headers, body=body))
        return self._send(reply, model=str(body.get("model")))

    def do_GET(self) -> None:
        self._send(fails(404, "only POST is scripted"), model="")

    def _send(self, reply: Reply, *, model: str) -> None:
        time.sleep(reply.delay)
        if reply.dropped:
            self.close_connection = True
            self.connection.close()
            return
        body = reply.body(model=model)
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type)
        self.send_header("content-length", str(len(body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Quiet: the requests are kept, not printed."""
