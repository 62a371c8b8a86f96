"""The lines of a trajectory: whether they are those that were written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

FORMAT = "stepback-trajectory/1"
COUNTED = ("version", "turn")


class Damaged(ValueError):
    """A file is not what was written."""


class Lines:
    """Lines that all lead to a trailer; it is known once they were read."""

    def __init__(self, lines: Iterable[bytes], name: object) -> None:
        self._lines = lines
        self._name = name
        self.trailer: dict[str, Any] = {}

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield what each line tells.

        Raises: Damaged, at the end for what was cut or changed.
        """
        digest, last, chain = hashlib.sha256(), b"", ""
        counts, told = dict.fromkeys(COUNTED, 0), dict[str, Any]()
        for number, text in enumerate(self._lines, 1):
            digest.update(last)
            last, told = text, line(text, number)
            if number == 1 and told.get("format") != FORMAT:
                raise Damaged(f"{self._name} does not begin as a {FORMAT}.")
            if told.get("type") in counts:
                counts[told["type"]] += 1
            if told.get("type") == "version":
                chain = told.get("chain", "")
            yield told
        if told.get("type") != "trailer":
            raise Damaged(f"{self._name} has no trailer: it was cut.")
        expected = (digest.hexdigest(), counts["version"], counts["turn"], chain)
        names = ("sha256", "versions", "turns", "chain_end")
        if tuple(told.get(name) for name in names) != expected:
            raise Damaged(f"{self._name} was changed after it was written.")
        self.trailer = told


def line(text: bytes, number: int) -> dict[str, Any]:
    """Raises: Damaged."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise Damaged(f"Line {number} is no JSON.") from None
    if not isinstance(told, dict):
        raise Damaged(f"Line {number} is no object.")
    return told
