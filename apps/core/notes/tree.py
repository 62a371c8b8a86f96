"""The Merkle tree of RFC 6962 over the leaves of a note.

Pure: bytes in, bytes out. A leaf is hashed with another first byte than a node, so that
no node passes for a leaf.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

LEAF, NODE = b"\x00", b"\x01"


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash by which a leaf stands in its tree."""
    return hashlib.sha256(LEAF + leaf).digest()


def root_of(hashes: Iterable[bytes]) -> bytes:
    """Return the root over the hashes of leaves, in their order; of none, SHA-256's."""
    levels = _levels(list(hashes))
    return levels[-1][0] if levels else hashlib.sha256().digest()


def path_to(hashes: Sequence[bytes], index: int) -> list[bytes]:
    """Return the inclusion proof of one leaf: its neighbours, from below upwards."""
    path = []
    for level in _levels(list(hashes))[:-1]:
        beside = index ^ 1
        if beside < len(level):
            path.append(level[beside])
        index //= 2
    return path


def _levels(level: list[bytes]) -> list[list[bytes]]:
    """Return the tree, level by level.

    Pairing from the left, and taking up what is left over as it is, makes the same tree
    as the RFC's splitting at the largest power of two.
    """
    levels = [level] if level else []
    sha256 = hashlib.sha256
    while len(level) > 1:
        above = [
            sha256(NODE + left + right).digest()
            for left, right in zip(level[::2], level[1::2], strict=False)
        ]
        if len(level) % 2:
            above.append(level[-1])
        levels.append(above)
        level = above
    return levels
