"""An endpoint that speaks OpenAI's embeddings: named by who runs the server.

What it answers is nothing to rely on: it may be late, long, no JSON, or not numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jiter
import numpy as np

from apps.core import json
from apps.core.outbound import addresses, requests
from apps.core.outbound.addresses import Refused
from apps.core.outbound.requests import Failed, Reply
from apps.meaning.embedding.rows import Rows, of_length_one
from apps.meaning.embedding.values import EmbeddingFailed, TextsRefused

MOST_BYTES = 8 * 1024 * 1024
# Texts of one request: their vectors as text, up to 4,096 numbers each, fit into that.
AT_ONCE = 64
OK = 200
REDIRECTS = range(300, 400)
# What is wrong with what was sent, and not with the endpoint or the key.
ABOUT_TEXTS = (400, 413, 422)


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """An endpoint by its base URL, as `https://api.openai.com/v1`."""

    url: str
    model: str
    key: str
    dimensions: int
    near: float
    is_private: bool

    @property
    def is_constant(self) -> bool:
        return False

    @property
    def at_once(self) -> int:
        return 256

    @property
    def with_question(self) -> int:
        return AT_ONCE

    @property
    def name(self) -> str:
        return f"{self.model}@{self.dimensions}"

    def begin(self, text: str) -> None:
        """Leave it: what is sent to an endpoint is sent by whoever asks."""

    def known(self, text: str) -> Rows | None:
        """Remember nothing: whoever asks again may be told something else."""
        return None

    def embed(self, texts: Sequence[str], *, seconds: float) -> Rows:
        """Ask for vectors, so many texts a request.

        Raises: EmbeddingFailed.
        """
        found = [
            self._asked(texts[at : at + AT_ONCE], seconds)
            for at in range(0, len(texts), AT_ONCE)
        ]
        return of_length_one(np.concatenate(found)) if found else self._none(0)

    def _asked(self, texts: Sequence[str], seconds: float) -> Rows:
        reply = self._reply(texts, seconds)
        status = reply.answered.status
        if status in REDIRECTS:
            raise EmbeddingFailed(
                f"The endpoint answered {status}: redirects are not followed."
            )
        if status in ABOUT_TEXTS:
            raise TextsRefused(f"The endpoint answered {status}.")
        if status != OK:
            raise EmbeddingFailed(f"The endpoint answered {status}.")
        return self._read(reply.body, len(texts))

    def _reply(self, texts: Sequence[str], seconds: float) -> Reply:
        body = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        try:
            return requests.post_for_body(
                addresses.target_of(
                    f"{self.url.rstrip('/')}/embeddings",
                    into_the_house=self.is_private,
                ),
                json.dumps(body),
                headers,
                seconds=seconds,
                into_the_house=self.is_private,
                most=MOST_BYTES,
            )
        except (Refused, Failed) as error:
            raise EmbeddingFailed(str(error)) from None

    def _read(self, body: bytes, count: int) -> Rows:
        rows = self._none(count)
        seen: set[int] = set()
        for given in _items(body):
            at, numbers = given.get("index"), given.get("embedding")
            if type(at) is not int or not 0 <= at < count or at in seen:
                raise EmbeddingFailed("The endpoint's answer is about other texts.")
            seen.add(at)
            rows[at] = self._row(numbers)
        if len(seen) < count:
            raise EmbeddingFailed("The endpoint's answer leaves texts out.")
        return rows

    def _row(self, numbers: Any) -> Any:
        """Return a text's numbers, NaN where it has none; other things are refused."""
        if numbers is None:
            return np.nan
        if not isinstance(numbers, list) or len(numbers) != self.dimensions:
            found = f"{len(numbers):,}" if isinstance(numbers, list) else "no"
            raise EmbeddingFailed(
                f"The endpoint answered {found} numbers a text, and "
                f"STEPBACK_EMBEDDINGS_DIMENSIONS says {self.dimensions:,}."
            )
        if not all(type(one) in (int, float, type(None)) for one in numbers):
            raise EmbeddingFailed("The endpoint answered something else than numbers.")
        try:
            with np.errstate(over="ignore"):
                return np.array(numbers, dtype=np.float32)
        except OverflowError:
            return np.nan

    def _none(self, count: int) -> Rows:
        return np.full((count, self.dimensions), np.nan, np.float32)


def _items(body: bytes) -> list[dict[str, Any]]:
    """Return what stands under `data`. Some servers write NaN, which is no JSON."""
    try:
        read = jiter.from_json(body, allow_inf_nan=True, cache_mode="none")
    except ValueError:
        raise EmbeddingFailed("The endpoint's answer is no JSON.") from None
    items = read.get("data") if isinstance(read, dict) else None
    if not isinstance(items, list) or not all(isinstance(one, dict) for one in items):
        raise EmbeddingFailed("The endpoint's answer has no list of vectors.")
    return items
