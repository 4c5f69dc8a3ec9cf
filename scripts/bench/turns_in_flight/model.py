"""A model that takes its time: every chat answer comes after some seconds, every vector at once.

It plans one search, is content with what that brings, and answers: three calls a turn. One event loop serves all of
it, so that the model takes next to nothing of the machine it shares with what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import json
import struct
from pathlib import Path
from typing import Any

DIMENSIONS = 3072
ANSWER = "The kitchen closes at nine in the evening, as the page about opening hours says."
_USAGE = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960, "cost": 0.0004}
Json = dict[str, Any]


def reply_to(body: Json) -> Json:
    """The next step of the script, by where the conversation stands."""
    messages, tools = body["messages"], body.get("tools")
    if not tools:
        return {"role": "assistant", "content": ANSWER}
    if any(message["role"] == "tool" for message in messages):
        return {
            "role": "assistant",
            "content": "Everything needed has been found; the answer can be written.",
        }
    function = {"name": "search_knowledge_base", "arguments": json.dumps({"query": "kitchen closing time"})}
    call = {"id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": "Looking it up for you", "tool_calls": [call]}


def vector_of(text: str) -> str:
    """The same text always gives the same direction; as base64, the way the client asks for it."""
    seed = hashlib.sha512(text.encode()).digest()
    values = [seed[i % 64] - 127.5 + (i * 7919 % 13) for i in range(DIMENSIONS)]
    return base64.b64encode(struct.pack(f"<{DIMENSIONS}f", *values)).decode()


class Model:
    """Two routes of the OpenAI protocol over kept-alive connections."""

    def __init__(self, *, seconds: float) -> None:
        self._seconds = seconds

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = json.loads(await reader.readexactly(_length(head)))
                answer = json.dumps(await self._answer(head.split(b" ", 2)[1], body)).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: "
                    + str(len(answer)).encode()
                    + b"\r\n\r\n"
                    + answer
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    async def _answer(self, path: bytes, body: Json) -> Json:
        if path.endswith(b"/embeddings"):
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            data = [{"index": index, "embedding": vector_of(text)} for index, text in enumerate(texts)]
            return {"object": "list", "model": "scripted/vectors", "data": data, "usage": _USAGE}
        await asyncio.sleep(self._seconds)
        message = reply_to(body)
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "finish_reason": finish, "message": message}
        return {
            "id": "gen-1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [choice],
            "usage": _USAGE,
        }


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


async def _run(seconds: float, port_file: Path) -> None:
    model = Model(seconds=seconds)
    server = await asyncio.start_server(model.serve, "127.0.0.1", 0, backlog=1024, limit=2**24)
    unfinished = port_file.with_suffix(".new")
    unfinished.write_text(str(server.sockets[0].getsockname()[1]))
    unfinished.rename(port_file)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--port-file", type=Path, required=True)
    given = parser.parse_args()
    asyncio.run(_run(given.seconds, given.port_file))
