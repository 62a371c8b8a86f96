"""Find in written JSON, without parsing it, the texts in which patterns may find some.

A state is 100 KB of texts of which one or two hold an address. To make objects of all
of them takes many times as long as to read them; what each pattern needs, such as an @,
is looked for in the whole. A text is then taken out, and the pattern itself decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from apps.accounts.masks import Mask, Pattern
from apps.timeline.masking.cards import Span
from apps.timeline.masking.patterns import finder_of

_AT = re.compile("@")
_NUMBER = re.compile(r"[-+.0-9eE]+")
# What is written otherwise than it reads.
_ESCAPED = re.compile(r'[\x00-\x1f"\\\x7f-\x9f\ud800-\udfff]')

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")

Places = Callable[[str], Iterator[int]]


def hints_of(masks: Sequence[Mask]) -> list[Places] | None:
    """Return what finds where texts of the patterns may stand; None: nothing can."""
    found: list[Places] = []
    for mask in masks:
        if mask.pattern == Pattern.WORDS:
            if any(_ESCAPED.search(word) for word in mask.words):
                return None
            found.append(_of_words(mask.words))
        elif mask.pattern == Pattern.EMAIL:
            found.append(_ats)
        elif mask.pattern is not None:
            found.append(_starts(finder_of(mask)))
    return found


def _ats(text: str) -> Iterator[int]:
    return (one.start() for one in _AT.finditer(text))


def _starts(find: Callable[[str], Iterable[Span]]) -> Places:
    return lambda text: (start for start, _ in find(text))


def _of_words(words: Sequence[str]) -> Places:
    any_of = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    lower = [word.lower() for word in words] if all(map(str.isascii, words)) else None

    def places(text: str) -> Iterator[int]:
        if lower is not None and text.isascii():
            folded = text.lower()
            if not any(word in folded for word in lower):
                return iter(())
        return (one.start() for one in any_of.finditer(text))

    return places


def redrawn(
    text: str, hints: Sequence[Places] | None, draw: Callable[[str, bool], str]
) -> str | None:
    """Return JSON with each scalar in which a hint stands drawn anew.

    `draw` takes it as it is written, and whether it is a string. None where that
    cannot be done: without hints, and where some of a key is drawn, for two keys may
    then be alike.
    """
    if hints is None:
        return None
    # With escapes blotted out a quote begins or ends a string, and no letter of an
    # escape stands before a text.
    plain = _ESCAPE.sub(_blotted, text) if "\\" in text else text
    at = sorted({place for hint in hints for place in hint(plain)})
    if not at:
        return text
    pieces: list[str] = []
    end = looked_at = counted = 0
    is_within = False
    for place in at:
        if place < looked_at:
            continue
        is_within ^= plain.count('"', counted, place) % 2 == 1
        counted = place
        if is_within:
            start, stop = plain.rfind('"', 0, place), plain.index('"', place) + 1
        else:
            start, stop = _number_at(plain, place)
        looked_at = stop
        drawn = draw(text[start:stop], is_within)
        if drawn != text[start:stop]:
            if plain[stop : stop + 1] == ":":
                return None
            pieces += [text[end:start], drawn]
            end = stop
    return "".join([*pieces, text[end:]])


def _blotted(escape: re.Match[str]) -> str:
    return "\n" * len(escape.group())


def _number_at(plain: str, place: int) -> tuple[int, int]:
    """Return where a number begins and ends, some of which stands at a place."""
    start = place
    while start and plain[start - 1] in "-+.0123456789eE":
        start -= 1
    found = _NUMBER.match(plain, start)
    return start, place + 1 if found is None else found.end()
