"""One embeddings request and its answer, matched by index and measured (contract §3.2)."""

from __future__ import annotations

import base64
import math
import sys
from array import array
from dataclasses import dataclass
from typing import Any

from apps.integrations.llm import exchange, metering, tracing
from apps.integrations.llm.failures import bad_response

Json = dict[str, Any]
Vector = list[float]

MODEL = "openai/text-embedding-3-large"
DIMENSIONS = 3072
TIMEOUT_SECONDS = 120.0


@dataclass(frozen=True, kw_only=True)
class Answer:
    embedder: str
    vectors: list[Vector]


def request(texts: list[str], *, purpose: str, timeout: float = TIMEOUT_SECONDS) -> Answer:
    """Vectors in the order of the texts. Raises :class:`LlmFailure`, also for a short or shapeless answer."""
    # Base64 is a quarter of the bytes; a server that does not know it sends plain numbers, read as well.
    body: Json = {"model": MODEL, "input": texts, "dimensions": DIMENSIONS, "encoding_format": "base64"}
    with tracing.span(
        "embedding_batch", kind="llm", given={"texts": len(texts), "purpose": purpose}
    ) as notes:
        answer = exchange.post("embeddings", body, purpose=purpose, timeout=timeout)
        embedder = embedder_id(answer.get("model"))
        usage = metering.read_usage(answer.get("usage"))
        metering.record(usage, purpose=purpose, model=embedder, llm_calls=0)
        notes.spent(usage, model=embedder)
        vectors = _vectors(answer.get("data"), expected=len(texts))
        notes.result({"vectors": len(vectors)})
    return Answer(embedder=embedder, vectors=vectors)


def embedder_id(named: Any) -> str:
    """The reported model; the one asked for when a provider merely changes the vendor's prefix."""
    if not isinstance(named, str) or not named.strip():
        return MODEL
    return MODEL if named.rpartition("/")[2] == MODEL.rpartition("/")[2] else named.strip()


def _vectors(data: Any, *, expected: int) -> list[Vector]:
    if not isinstance(data, list) or len(data) != expected:
        raise bad_response("the number of vectors is wrong")
    if not all(isinstance(item, dict) for item in data):
        raise bad_response("a vector is missing")
    places = [item.get("index", position) for position, item in enumerate(data)]
    if any(type(place) is not int for place in places) or sorted(places) != list(range(expected)):
        raise bad_response("the vectors are numbered wrongly")
    ordered: list[Vector] = [[] for _ in data]
    for place, item in zip(places, data, strict=True):
        ordered[place] = _vector(item.get("embedding"))
    return ordered


def _vector(raw: Any) -> Vector:
    numbers = _decoded(raw) if isinstance(raw, str) else raw
    if not isinstance(numbers, list) or len(numbers) != DIMENSIONS:
        raise bad_response("a vector has the wrong length")
    if not all(type(number) in (int, float) and math.isfinite(number) for number in numbers) or not any(
        numbers
    ):
        raise bad_response("a vector is no vector")
    return [float(number) for number in numbers]


def _decoded(text: str) -> Vector:
    """Little-endian 32-bit floats, as the standard has them."""
    try:
        numbers = array("f", base64.b64decode(text, validate=True))
    except ValueError:
        raise bad_response("a vector cannot be decoded") from None
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()
