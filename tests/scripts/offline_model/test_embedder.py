"""The embeddings are real, and the way to 3072 dimensions loses nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

import scripts.offline_model.embedder as module
from scripts.offline_model.embedder import DIMENSIONS, Embedder, projection


def test_the_matrix_is_orthonormal_and_uses_every_coordinate() -> None:
    matrix = projection()
    assert matrix.shape == (384, DIMENSIONS)
    assert np.abs(matrix @ matrix.T - np.eye(384)).max() < 1e-5
    assert np.all(np.abs(matrix).sum(axis=0) > 0)


def test_the_matrix_is_the_same_everywhere() -> None:
    """Stored vectors depend on it: another one needs another embedder id."""
    first = projection()[[0, 17, 383], [0, 1_000, 3_071]]
    assert first == pytest.approx([0.02450946, 0.02230714, -0.00053316], abs=1e-5)


def test_cosines_survive_the_projection(embedder: Embedder) -> None:
    left, right = "Guests are welcome until eight.", "Visitors may stay until 20:00."
    native = float(embedder.native(left) @ embedder.native(right))
    assert float(embedder.embed(left) @ embedder.embed(right)) == pytest.approx(native, abs=1e-5)
    assert float(np.linalg.norm(embedder.embed(left))) == pytest.approx(1, abs=1e-5)


def test_related_texts_are_near_and_unrelated_ones_far(embedder: Embedder) -> None:
    question = "May I bring a visitor?"
    assert embedder.similarity(question, "Members may take two guests along.") > 0.4
    assert embedder.similarity(question, "The printer is out of toner.") < 0.2


def test_a_known_vector(embedder: Embedder) -> None:
    """Weights, tokenizer and pooling together; a change in any of them shows here."""
    vector = embedder.native("The quick brown fox jumps over the lazy dog.")
    assert vector[:3] == pytest.approx([0.0439, 0.0589, 0.0482], abs=0.012)


def test_texts_beyond_512_tokens_are_cut(embedder: Embedder) -> None:
    long = "word " * 5_000
    assert embedder.count_tokens(long) == 512
    assert embedder.embed(long) == pytest.approx(embedder.embed("word " * 600))


@pytest.mark.parametrize("text", ["😊", "\x00", "字" * 3_000, "a" * 20_000, "\ufffd"])
def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    assert float(np.linalg.norm(embedder.embed(text))) == pytest.approx(1, abs=1e-5)


def test_the_tokenizer_is_the_one_the_notice_names() -> None:
    data = Path(module.__file__).parent / "data"
    digest = hashlib.sha256((data / "tokenizer.json").read_bytes()).hexdigest()
    assert digest.startswith("be50c362")
    assert digest in (data / "NOTICE").read_text()
