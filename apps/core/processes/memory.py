"""How this process gives memory back: large buffers at once, to the system itself.

And when it looks for what nobody can reach any more: not while it loads.

Left alone, glibc keeps what it once handed out: it opens a heap for each thread, and
after the first large buffer was freed it takes the next ones from those heaps, where
they leave holes. Elsewhere than on glibc nothing is done.
"""

import ctypes
import gc
from ctypes.util import find_library

# From <malloc.h>; both stop glibc from moving the limit by itself.
_ARENA_MAX = -8
_MMAP_THRESHOLD = -3

HEAPS = 2
# Buffers from here on are mapped, and unmapped when they are freed.
MAPPED_BYTES = 256 * 1024


def give_back_large_buffers() -> bool:
    """Settle it for this process; return whether its C library lets us."""
    set_option = getattr(_library(), "mallopt", None)
    if set_option is None:
        return False
    return bool(
        set_option(_ARENA_MAX, HEAPS) and set_option(_MMAP_THRESHOLD, MAPPED_BYTES)
    )


def begin_loading() -> None:
    """Stop the collector until `end_loading`.

    Loading makes half a million objects that stay, and no garbage. Going through them
    again and again was a third of the 0.85 s of a processor that a command took.
    """
    gc.disable()


def end_loading() -> None:
    """Let the collector run, but never through what is loaded.

    Looking at an object writes to it: the pages of memory that forked workers share
    would be copied for each of them.
    """
    gc.freeze()
    gc.enable()


def _library() -> ctypes.CDLL | None:
    name = find_library("c")
    return ctypes.CDLL(name) if name else None
