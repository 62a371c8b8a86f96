"""Names of the objects that hold the files of exports: ours, nothing of a caller's.

No two writes share a name: what a killed step left is never what the next one writes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Blobs stand below the ids of projects, and have a dot in their last part.
ROOT = "exports"
_NAME = re.compile(
    rf"{ROOT}/(xprt_[0-9a-z]{{26}})/([0-9]{{6,9}})-([0-9]{{1,19}})", re.ASCII
)


@dataclass(frozen=True, slots=True)
class PieceName:
    """Which piece of which export an object is, and which writing of it."""

    export_id: str
    number: int
    generation: int

    def __str__(self) -> str:
        return f"{folder_of(self.export_id)}/{self.number:06}-{self.generation}"


def folder_of(export_id: str) -> str:
    return f"{ROOT}/{export_id}"


def parsed(name: str) -> PieceName | None:
    """Return what a name of ours says; None for what is not ours."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    return PieceName(found[1], int(found[2]), int(found[3]))
