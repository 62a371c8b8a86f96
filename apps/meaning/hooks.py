"""What apps above say of their texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

# What of a body of theirs is text, by their name; None: the body is not theirs.
TEXTS: dict[str, Callable[[Mapping[str, Any]], str | None]] = {}
# Those of some documents whose texts are read as sentences, by whose they are.
SENTENCES: dict[str, Callable[[Sequence[str]], Collection[str]]] = {}
