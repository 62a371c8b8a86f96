"""Grapheme clusters: what a reader takes for one character, by the rules of Unicode.

A family emoji is seven code points, an accented letter may be two. A text that is cut
or compared inside of one falls apart on the screen. Imports `regex`, which knows the
rules; Python's own `re` and `unicodedata` do not.
"""

from __future__ import annotations

from collections.abc import Callable

import regex

from apps.diffs.readers import drawn

# No cluster that people write is longer; marks piled up beyond are cut like any text.
LONGEST = 64
# How far back a text is read for a place where a cluster certainly begins.
_BACK = 512

_CLUSTER = regex.compile(r"\X")
_ASCII = regex.compile(r"(?r)[ -~]")
# A word is a run of clusters that begin with a letter or digit; in scripts that put no
# spaces between words, each cluster is compared by itself.
_TOKEN = regex.compile(
    r"(?:(?![\p{Han}\p{Hiragana}\p{Katakana}\p{Line_Break=SA}])(?=\w)\X)+"
    r"|(?:(?=\s)\X)+|\X"
)
_RIGHT_TO_LEFT = regex.compile(r"[\p{bc=R}\p{bc=AL}\p{bc=AN}]")

_EMOJI = r"\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?"
# The flags of England, Scotland and Wales. Any other tags would be text that hides.
_TAGGED = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in name)
    for name in ("gbeng", "gbsct", "gbwls")
)
_JOINERS = (
    # RFC 5892, appendix A: where joiners change how a word is written, as in Persian
    # and in the scripts of India.
    r"(?<=\p{ccc=9})[\u200C\u200D]"
    r"|(?<=[\p{jt=L}\p{jt=D}]\p{jt=T}*)\u200C(?=\p{jt=T}*[\p{jt=R}\p{jt=D}])"
)
# Control, format (bidi and zero-width among them), surrogate, private, unassigned, and
# the two separators that end a line: but for what is part of a visible character.
_HIDDEN = regex.compile(
    rf"(?P<whole>{_EMOJI}(?:\u200D{_EMOJI})+"
    rf"|\U0001F3F4(?:{_TAGGED})\U000E007F|{_JOINERS})"
    r"|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]"
)


def visible(text: str) -> str:
    """Show what would hide, reorder or break a line: NUL as ␀, others as ⟨U+202E⟩."""
    text = drawn(text)
    if text.isascii() and text.isprintable():
        return text
    return replaced(text, _sign)


def replaced(text: str, sign: Callable[[str], str]) -> str:
    """Return the text with a sign for each character that hides, reorders or ends."""

    def shown(found: regex.Match[str]) -> str:
        return found[0] if found["whole"] is not None else sign(found[0])

    return str(_HIDDEN.sub(shown, text))


def boundary(text: str, at: int) -> int:
    """Return the end of the last whole cluster within the first `at` characters."""
    if at >= len(text):
        return len(text)
    around = text[max(0, at - 1) : at + 1]
    if at <= 0 or (around.isascii() and around != "\r\n"):
        return max(0, at)
    nearest = _ASCII.search(text, max(0, at - _BACK), at)
    start = nearest.start() if nearest else max(0, at - _BACK)
    for cluster in _CLUSTER.finditer(text, start, at + LONGEST):
        if cluster.end() >= at:
            is_split = cluster.end() > at > cluster.start()
            is_cluster = cluster.end() - cluster.start() < LONGEST
            return cluster.start() if is_split and is_cluster else at
    return at


def cut(text: str, longest: int) -> str:
    """Return no more than the first `longest` characters, all clusters whole."""
    # Before it is cut: half of a word is not known to be one.
    text = drawn(text)
    return text if len(text) <= longest else text[: boundary(text, longest)]


def tokens(text: str) -> list[str]:
    """Split a text into words, spaces and single marks, never inside a cluster."""
    found: list[str] = _TOKEN.findall(text)
    return found


def has_right_to_left(text: str) -> bool:
    """Say whether some of it is written from right to left."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def _sign(character: str) -> str:
    code = ord(character)
    if code < 32:
        return chr(0x2400 + code)
    return "␡" if code == 127 else f"⟨U+{code:04X}⟩"
