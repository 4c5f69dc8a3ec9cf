"""Asks many questions at once over plain sockets, and notes when each was answered."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any

from scripts.bench.turns_in_flight.model import ANSWER

LONGEST_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: was it answered as it should be, and after how long."""

    answered: bool
    seconds: float
    problem: str = ""


async def ask_all(turns: int, *, port: int, token: str, round_number: int) -> list[Asked]:
    """All at once."""
    return list(
        await asyncio.gather(*(_ask(port, token, person=n, round_number=round_number) for n in range(turns)))
    )


async def _ask(port: int, token: str, *, person: int, round_number: int) -> Asked:
    began = time.monotonic()
    body = {
        "message": "When does the kitchen close?",
        "email": f"person{person}@bench.example",
        "thread_key": f"round-{round_number}",
    }
    try:
        status, answer = await asyncio.wait_for(
            post(port, "/web/bench/messages", body, token=token), LONGEST_SECONDS
        )
    except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError) as error:
        return Asked(False, time.monotonic() - began, type(error).__name__)
    right = status == 200 and answer.get("success") is True and answer.get("response") == ANSWER
    problem = "" if right else f"{status}: {json.dumps(answer)[:300]}"
    return Asked(right, time.monotonic() - began, problem)


async def post(port: int, path: str, body: Any, *, token: str = "") -> tuple[int, dict[str, Any]]:
    """One request on a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
    sent = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        f"authorization: Bearer {token}\r\ncontent-length: {len(sent)}\r\nconnection: close\r\n\r\n"
    )
    writer.write(head.encode() + sent)
    await writer.drain()
    raw = await reader.read()
    writer.close()
    top, _, rest = raw.partition(b"\r\n\r\n")
    return int(top.split(b" ", 2)[1]), json.loads(_joined(rest) if b"chunked" in top.lower() else rest)


def _joined(chunks: bytes) -> bytes:
    whole = b""
    while chunks:
        size, _, rest = chunks.partition(b"\r\n")
        length = int(size, 16)
        whole, chunks = whole + rest[:length], rest[length + 2 :]
        if not length:
            break
    return whole
