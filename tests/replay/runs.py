"""Reads recorded runs, one JSON object a line, never more than a line at a time.

Owns what a recorded run is; refuses a line that is none, naming it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FACTS = ("run", "task_id", "trial", "reward", "model")


class MalformedRun(ValueError):
    """What a file of recorded runs may not hold."""


@dataclass(frozen=True, slots=True)
class Run:
    """One recorded conversation; `digest` tells it from every other, and from edits."""

    name: str
    facts: dict[str, Any]
    messages: list[dict[str, Any]]
    digest: str

    @property
    def model(self) -> str:
        return str(self.facts["model"])


def read(path: Path, limit: int | None = None) -> Iterator[Run]:
    """Return the runs of the file in its order, the first `limit` if that is given.

    Raises: MalformedRun.
    """
    with path.open("rb") as lines:
        numbered = ((n, line) for n, line in enumerate(lines, 1) if line.strip())
        for number, line in itertools.islice(numbered, limit):
            yield _run(number, line)


def count(path: Path, limit: int | None = None) -> int:
    """Return how many runs `read` will return."""
    with path.open("rb") as lines:
        return sum(1 for _ in itertools.islice(filter(bytes.strip, lines), limit))


def _run(number: int, line: bytes) -> Run:
    try:
        told = json.loads(line)
        facts = {name: told[name] for name in FACTS}
        messages = told["messages"]
    except (ValueError, TypeError, KeyError) as fault:
        raise MalformedRun(f"line {number} is no recorded run: {fault!r}") from fault
    if not isinstance(messages, list):
        raise MalformedRun(f"line {number}: messages is no list")
    digest = hashlib.sha256(line.strip()).hexdigest()[:24]
    return Run(str(facts["run"]), facts, messages, digest)
