"""A mutant: exact replacements of text in the tree, and the tests that should fail."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


class DoesNotApply(Exception):
    """The tree does not hold what the mutant replaces, or holds it twice."""


@dataclass(frozen=True)
class Edit:
    """Replace `old`, which must stand in the file exactly once.

    A `*` in the file's name stands for its version: the newest is meant.
    """

    file: str
    old: str
    new: str

    def place(self, tree: Path) -> Path:
        """Return the file in that tree.

        Raises: DoesNotApply.
        """
        found = sorted(tree.glob(self.file), key=_version)
        if not found:
            raise DoesNotApply(f"There is no {self.file}.")
        return found[-1]

    def text(self, tree: Path) -> str:
        """Return the text of the file with the replacement made.

        Raises: DoesNotApply.
        """
        place = self.place(tree)
        text = place.read_text(encoding="utf-8")
        times = text.count(self.old)
        if times != 1 or self.new == self.old:
            name = place.relative_to(tree)
            raise DoesNotApply(f"{name} holds {times} times: {self.old!r}")
        return text.replace(self.old, self.new)


@dataclass(frozen=True)
class Mutant:
    """What is taken away, how, and which tests should notice."""

    name: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]


def _version(file: Path) -> int:
    found = re.search(r"_v(\d+)$", file.stem)
    return int(found[1]) if found else 0
