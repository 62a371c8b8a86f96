"""The quicker model that comes along: wordllama's weights, averaged over the tokens.

Of the package only its two files are used: its own loader looks for one of them where
it is not, and keeps a copy of the weights in each process. Mapped from the file, all
processes share them.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from apps.meaning.embedding.choosing import BUILT_IN
from apps.meaning.embedding.rows import Rows, of_length_one
from apps.meaning.embedding.values import EmbeddingFailed

DIMENSIONS = 256
# The median cosine of paraphrases is 0.5; of texts that have nothing in common, 2 in
# 380 come to 0.3.
NEAR = 0.30
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"


class BuiltIn:
    """Vectors by the weights in the package; loaded when it is made."""

    name = BUILT_IN
    near = NEAR
    dimensions = DIMENSIONS
    is_constant = True
    at_once = 256
    with_question = 64

    def __init__(self) -> None:
        folder = _folder()
        try:
            self._tokens = Tokenizer.from_file(str(folder / _TOKENS))
            self._weights = _mapped(folder / _WEIGHTS)
        except Exception as error:
            # The tokenizer raises nothing narrower than this.
            raise EmbeddingFailed("The model's files cannot be read.") from error
        self._tokens.no_padding()
        self._tokens.no_truncation()

    def begin(self, text: str) -> None:
        """Leave it: whoever asks has it in a third of a millisecond."""

    def known(self, text: str) -> Rows | None:
        """Remember nothing: a text is as soon embedded."""
        return None

    def embed(self, texts: Sequence[str], *, seconds: float) -> Rows:
        """Return the mean of each text's tokens; it takes a third of a millisecond."""
        rows = np.full((len(texts), DIMENSIONS), np.nan, np.float32)
        encoded = self._tokens.encode_batch(list(texts), add_special_tokens=False)
        for at, one in enumerate(encoded):
            if one.ids:
                rows[at] = self._weights[one.ids].astype(np.float32).mean(axis=0)
        return of_length_one(rows)


@cache
def _folder() -> Path:
    found = find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise EmbeddingFailed("The model is not installed.")
    return Path(found.submodule_search_locations[0])


def _mapped(path: Path) -> np.memmap[tuple[int, ...], np.dtype[np.float16]]:
    """Map the one tensor of a safetensors file: a length, what is in it, and that.

    Raises: OSError, ValueError, KeyError.
    """
    with path.open("rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        (about,) = json.loads(file.read(size)).values()
    if about["dtype"] != "F16" or about["shape"][1:] != [DIMENSIONS]:
        raise ValueError("other weights than these are meant")
    return np.memmap(
        path, np.float16, "r", offset=8 + size, shape=tuple(about["shape"])
    )
