"""Read masks as they are said and stored, and write them: a fault names its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from apps.accounts.errors import UnacceptableMask
from apps.accounts.masks.mask import Mask, Pattern, Style
from apps.core import json
from apps.core.errors import UnacceptableJson

MOST = 100
LONGEST_POINTER = 1_024
# A search for places keeps each step of each mask at hand.
DEEPEST_POINTER = 32
MOST_WORDS = 100
LONGEST_WORD = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectMasks:
    """Hold the masks of a project as they are stored, and what digests are keyed by."""

    project_id: str
    said: str
    secret: bytes = field(repr=False)


def masks_of(said: Sequence[Any]) -> tuple[Mask, ...]:
    """Return the masks that a list of JSON says.

    Raises: UnacceptableMask, whose `param` is the place.
    """
    if len(said) > MOST:
        raise UnacceptableMask(f"A project has at most {MOST} masks.", param="masks")
    return tuple(mask_of(one, f"masks[{at}]") for at, one in enumerate(said))


def stored(text: str) -> tuple[Mask, ...]:
    """Return masks as they were written."""
    return masks_of(json.parse_written(text.encode()))


def written(masks: Sequence[Mask]) -> str:
    """Return masks as they are stored."""
    return json.dumps([mask.said() for mask in masks]).decode()


def mask_of(said: Any, at: str) -> Mask:
    """Return the mask that an object of JSON says.

    Raises: UnacceptableMask, whose `param` is the place below `at`.
    """
    if not isinstance(said, dict):
        raise UnacceptableMask("A mask is an object.", param=at)
    pointer, pattern = said.get("pointer"), said.get("pattern")
    if (pointer is None) == (pattern is None):
        raise UnacceptableMask("A mask has a pointer or a pattern.", param=at)
    mask = Mask(
        style=Style(_one_of(Style, said.get("style"), f"{at}.style")),
        pointer=None if pointer is None else _pointer(pointer, f"{at}.pointer"),
        pattern=None
        if pattern is None
        else Pattern(_one_of(Pattern, pattern, f"{at}.pattern")),
        words=_words(said.get("words") or [], f"{at}.words"),
    )
    if bool(mask.words) != (mask.pattern == Pattern.WORDS):
        message = "The pattern words has words, and no other has."
        raise UnacceptableMask(message, param=f"{at}.words")
    return mask


def _one_of(kind: type[StrEnum], value: Any, at: str) -> str:
    """Raises: UnacceptableMask."""
    if not isinstance(value, str) or value not in [*kind]:
        raise UnacceptableMask(f"This takes {', '.join(kind)}.", param=at)
    return value


def _pointer(pointer: Any, at: str) -> str:
    """Raises: UnacceptableMask."""
    if not isinstance(pointer, str) or len(pointer.encode()) > LONGEST_POINTER:
        message = f"A pointer is a text of at most {LONGEST_POINTER:,} bytes."
        raise UnacceptableMask(message, param=at)
    try:
        depth = len(json.segments(pointer))
    except UnacceptableJson as fault:
        raise UnacceptableMask(fault.message, param=at) from fault
    if not 1 <= depth <= DEEPEST_POINTER:
        message = f"A pointer has 1 to {DEEPEST_POINTER} steps."
        raise UnacceptableMask(message, param=at)
    return pointer


def _words(words: Any, at: str) -> tuple[str, ...]:
    """Raises: UnacceptableMask."""
    if not isinstance(words, list) or len(words) > MOST_WORDS:
        message = f"Words are a list of at most {MOST_WORDS}."
        raise UnacceptableMask(message, param=at)
    for number, word in enumerate(words):
        if not isinstance(word, str) or not _is_word(word):
            message = f"A word is a text of 1 to {LONGEST_WORD} characters."
            raise UnacceptableMask(message, param=f"{at}[{number}]")
    return tuple(words)


def _is_word(word: str) -> bool:
    return 0 < len(word) <= LONGEST_WORD and bool(word.strip()) and "\0" not in word
