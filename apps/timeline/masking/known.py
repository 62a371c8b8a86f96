"""Answers that were masked already: who polls a head asks for the same bytes again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from threading import Lock

from apps.accounts import masks
from apps.accounts.masks import ProjectMasks
from apps.timeline.masking.answers import Masking

MOST_BYTES = 16 * 1024 * 1024
LARGEST = 1024 * 1024

_known: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()
_lock = Lock()
_n_bytes = 0


def masked(of: ProjectMasks, answer: bytes, shown_at: Sequence[str]) -> bytes:
    """Return an answer without what a project's masks cover.

    The masks are not remembered with the key that asks: one that is set counts from
    the next request on, in every process. What is remembered is of these masks and of
    these bytes alone.
    """
    asked = sha256(answer)
    asked.update(f"{of.said}\0{shown_at}".encode())
    key = of.project_id, asked.digest()
    with _lock:
        found = _known.get(key)
        if found is not None:
            _known.move_to_end(key)
            return found
    made = Masking(
        masks=masks.stored(of.said),
        secret=of.secret,
        shown_at=shown_at,
    ).written(answer)
    _keep(key, made)
    return made


def _keep(key: tuple[str, bytes], made: bytes) -> None:
    global _n_bytes
    if len(made) > LARGEST:
        return
    with _lock:
        gone = _known.pop(key, b"")
        _known[key] = made
        _n_bytes += len(made) - len(gone)
        while _n_bytes > MOST_BYTES:
            _, oldest = _known.popitem(last=False)
            _n_bytes -= len(oldest)
