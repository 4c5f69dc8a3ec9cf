"""Vectors to fill a table with: real sentences' carried into 3072 dimensions, and dense ones made up."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Kind = Literal["projected", "dense"]

DIMENSIONS = 3072
_PAGES = Path(__file__).resolve().parents[2] / "demo" / "pages"
_LATENT = 256
_TOPICS = 300


class Source:
    """Draws vectors of one kind; the same seed draws the same ones."""

    def __init__(self, kind: Kind, *, seed: int = 7) -> None:
        self._chance = np.random.default_rng(seed)
        self._centres, self._carry = _real() if kind == "projected" else _made_up(self._chance)

    def draw(self, count: int) -> Vectors:
        """Each between two topics, with some noise of its own."""
        first, second = (self._chance.integers(len(self._centres), size=count) for _ in range(2))
        share = self._chance.uniform(0.55, 0.95, (count, 1))
        mixed = share * self._centres[first] + (1 - share) * self._centres[second]
        return self._placed(mixed.astype(np.float32), noise=0.5)

    def near(self, vectors: Vectors) -> Vectors:
        """Questions that each resemble one of the vectors."""
        noise = self._chance.standard_normal(vectors.shape) / np.sqrt(DIMENSIONS)
        return _unit(vectors + 0.6 * noise)

    def _placed(self, latent: Vectors, *, noise: float) -> Vectors:
        scattered = latent + noise * self._chance.standard_normal(latent.shape) / np.sqrt(latent.shape[1])
        return _unit((scattered @ self._carry).astype(np.float32))


def _real() -> tuple[Vectors, Vectors]:
    """The demo community's sentences as the offline embedder has them, and its own way into 3072 dimensions."""
    from scripts.offline_model.embedder import Embedder, projection

    embedder = Embedder.load()
    lines = {line.strip() for page in _PAGES.glob("*.md") for line in page.read_text().splitlines()}
    sentences = sorted(line for line in lines if len(line) > 40)
    return np.stack([embedder.native(sentence) for sentence in sentences]), projection()


def _made_up(chance: np.random.Generator) -> tuple[Vectors, Vectors]:
    """Topics in a space whose directions matter less and less, carried into all 3072 dimensions."""
    spectrum = 1 / np.sqrt(np.arange(1, _LATENT + 1))
    topics = chance.standard_normal((_TOPICS, _LATENT)) * spectrum
    carry = chance.standard_normal((_LATENT, DIMENSIONS)) / np.sqrt(DIMENSIONS)
    return _unit(topics.astype(np.float32)), carry.astype(np.float32)


def _unit(vectors: Vectors) -> Vectors:
    scaled: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return scaled
