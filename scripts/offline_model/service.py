"""From a checked request to an answer in the provider's shape."""

from __future__ import annotations

import base64
import json
import time
import uuid
from typing import Any

from scripts.offline_model.answering import answer
from scripts.offline_model.embedder import EMBEDDER_ID, Embedder
from scripts.offline_model.planning import plan
from scripts.offline_model.reply import Reply
from scripts.offline_model.requests import ChatRequest, EmbeddingsRequest, parse_chat, parse_embeddings
from scripts.offline_model.schemas import smallest
from scripts.offline_model.transcript import read_turn, text_of

Json = dict[str, Any]
CHAT_ID = "offline/quoting-1"
PROVIDER = "Offline"


class Service:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def models(self) -> Json:
        entries = [{"id": name, "object": "model", "owned_by": "root"} for name in (CHAT_ID, EMBEDDER_ID)]
        return {"object": "list", "data": entries}

    def chat(self, body: Json) -> Json:
        request = parse_chat(body)
        return _completion(request, self._reply(request))

    def embeddings(self, body: Json) -> Json:
        request = parse_embeddings(body)
        data = [
            {"object": "embedding", "index": index, "embedding": self._vector(text, request)}
            for index, text in enumerate(request.texts)
        ]
        usage = _usage(sum(_tokens(text) for text in request.texts), 0)
        return {"object": "list", "model": EMBEDDER_ID, "data": data, "usage": usage}

    def _reply(self, request: ChatRequest) -> Reply:
        if request.schema is not None:
            return Reply(text=json.dumps(smallest(request.schema)))
        turn = read_turn(request.messages)
        if request.tools:
            return plan(turn, tools=request.tools, embedder=self._embedder)
        return answer(turn, embedder=self._embedder)

    def _vector(self, text: str, request: EmbeddingsRequest) -> list[float] | str:
        vector = self._embedder.embed(text)
        return base64.b64encode(vector.tobytes()).decode() if request.as_base64 else vector.tolist()


def _completion(request: ChatRequest, reply: Reply) -> Json:
    message: Json = {"role": "assistant", "content": reply.full_text, "refusal": None}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{uuid.uuid4().hex[:24]}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in reply.calls
        ]
    reason = "tool_calls" if reply.calls else "stop"
    prompt = sum(_tokens(text_of(sent)) for sent in request.messages)
    return {
        "id": f"gen-offline-{uuid.uuid4().hex}",
        "provider": PROVIDER,
        "model": CHAT_ID,
        "object": "chat.completion",
        "created": int(time.time()),
        "choices": [
            {"index": 0, "finish_reason": reason, "native_finish_reason": reason, "message": message}
        ],
        "usage": _usage(prompt, _tokens(reply.full_text)),
    }


def _usage(prompt: int, completion: int) -> Json:
    total = prompt + completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total, "cost": 0}


def _tokens(text: str) -> int:
    """An estimate: four characters are about a token."""
    return -(-len(text) // 4)
