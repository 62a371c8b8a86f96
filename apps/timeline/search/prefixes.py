"""Bounds of an index scan for the ids that begin with a text. Pure.

Compared byte by byte (collation C or text_pattern_ops), which for UTF-8 is the order of
code points. The bounds are parameters; LIKE would need a constant pattern to use an
index, and `%` and `_` in ids would have to be escaped.
"""

from __future__ import annotations

from dataclasses import dataclass

# Shorter texts begin too much: they are compared with whole ids.
SHORTEST = 3
_LAST = "\U0010ffff"
_SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Prefix:
    """A text that an id equals, or begins with if the text is long enough."""

    text: str

    @property
    def is_open(self) -> bool:
        return len(self.text) >= SHORTEST

    def fits(self, name: str | None) -> bool:
        if name is None:
            return False
        return name.startswith(self.text) if self.is_open else name == self.text

    @property
    def end(self) -> str:
        """Return the exclusive upper bound of everything that fits."""
        if not self.is_open:
            # U+0000 is in no column, so nothing comes between.
            return f"{self.text}\x01"
        kept = self.text.rstrip(_LAST)
        if not kept:
            return f"{self.text}{_LAST}"
        following = ord(kept[-1]) + 1
        if following in _SURROGATES:
            following = _SURROGATES.stop
        return kept[:-1] + chr(following)

    @property
    def bounds(self) -> dict[str, str]:
        return {"first": self.text, "end": self.end}
