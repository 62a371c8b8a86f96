"""Packages that are installed for one use, and that others load wherever they are.

deepdiff imports numpy and pydantic if it can, Django REST framework requests: 21 MB of
each process, for nothing that is done with them here. They come with the model of
search by meaning, which is loaded when somebody searches. structlog imports rich, to
draw what we write as JSON, Django REST framework pygments, and Django's tests, which
drf-spectacular needs, jinja2: they come with what checks and tests us.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

NAMES = frozenset({"jinja2", "numpy", "pydantic", "pygments", "requests", "rich"})


class _Absent(MetaPathFinder):
    """Says of these packages that they are not installed."""

    def __init__(self) -> None:
        self.names = set(NAMES)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname in self.names:
            raise ModuleNotFoundError(f"{fullname} is left out here", name=fullname)
        return None


_ABSENT = _Absent()


def keep_out() -> None:
    """Have this process go without them, until one is let in."""
    if _ABSENT not in sys.meta_path:
        sys.meta_path.insert(0, _ABSENT)


def let_in(name: str) -> None:
    """Have the next import of a package find it."""
    _ABSENT.names.discard(name)


def is_installed(name: str) -> bool:
    """Say whether a package could be imported, kept out or not, without doing so."""
    return PathFinder.find_spec(name) is not None
