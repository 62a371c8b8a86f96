"""Bring memories along from another product."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stepback import Stepback

AT_ONCE = 1_000
# What exports call the list.
LISTS = ("results", "memories", "data")


@dataclass(frozen=True, kw_only=True)
class Import:
    """What became of an export: how many, and what the server said of the others."""

    imported: int
    known: int
    same: int
    refused: int
    # Of each that was refused its place in the export, its id, and why.
    problems: Sequence[Mapping[str, Any]] = field(default_factory=tuple)


def import_mem0(path: str | Path, client: Stepback | None = None) -> Import:
    """Import the JSON that mem0's `get_all` returned, as often as one likes.

    A user's memories are the user's, an agent's the agent's, those of a run the
    session's of that id, the server's or your own. What is refused holds up no other
    memory, and is among the result's `problems`. Without a client one is made of the
    environment.

    Raises: ValueError for a file that is no such export; StepbackError.
    """
    items = _items(Path(path).read_text(encoding="utf-8"))
    if client is not None:
        return _imported(client, items)
    with Stepback() as own:
        return _imported(own, items)


def _imported(client: Stepback, items: Sequence[Any]) -> Import:
    counts: Counter[str] = Counter()
    problems: list[Mapping[str, Any]] = []
    for at, some in _pieces(items):
        done = client.memory.import_memories(some)
        counts.update(one["result"] for one in done.results)
        problems += [
            {**one, "index": at + one["index"]}
            for one in done.results
            if one["result"] == "refused"
        ]
    return Import(
        imported=counts["imported"],
        known=counts["known"],
        same=counts["same"],
        refused=counts["refused"],
        problems=tuple(problems),
    )


def _pieces(items: Sequence[Any]) -> Iterator[tuple[int, Sequence[Any]]]:
    for at in range(0, len(items), AT_ONCE):
        yield at, items[at : at + AT_ONCE]


def _items(text: str) -> list[Any]:
    try:
        export = json.loads(text)
    except RecursionError:
        raise ValueError("This is no export of mem0: it is too deep.") from None
    if isinstance(export, dict):
        export = next((export[name] for name in LISTS if name in export), None)
    if not isinstance(export, list):
        raise ValueError("This is no export of mem0: there is no list of memories.")  # noqa: TRY004
    return export
