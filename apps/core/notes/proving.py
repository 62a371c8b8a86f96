"""The proof that one head is in a signed note: its leaf, the way up, and the note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.core.notes import tree
from apps.core.notes.errors import NoteError
from apps.core.notes.reading import Notes
from apps.core.notes.roots import Root


@dataclass(frozen=True, kw_only=True, slots=True)
class Inclusion:
    """What proves a leaf to whoever has the public key alone."""

    leaf: str
    index: int
    leaves: int
    path: Sequence[bytes]
    note: bytes


def inclusion(kept: Notes, number: int, stream: str) -> Inclusion | None:
    """Prove what a note says of a chain; None where it is from before there were trees.

    Raises: NoteError, OSError.
    """
    root = kept.root(number)
    if root.tree is None:
        return None
    index = next(i for i, head in enumerate(root.heads) if head.stream == stream)
    note = kept.folder.read(number)
    if note is None:
        raise NoteError(f"note {number:,} is missing")
    return Inclusion(
        leaf=root.heads[index].line,
        index=index,
        leaves=len(root.heads),
        path=tree.path_to(leaf_hashes(root), index),
        note=note,
    )


def leaf_hashes(root: Root) -> list[bytes]:
    """Return the hashes by which the leaves of a note stand in its tree."""
    return [tree.leaf_hash(head.leaf) for head in root.heads]
