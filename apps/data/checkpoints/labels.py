"""Labels that say nothing: whoever looks for a way back will not know which it is."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[^\W\d_]+")
_EMPTY = frozenset(
    {
        *("backup", "backups", "bak", "checkpoint", "checkpoints", "cp", "chk"),
        *("copy", "current", "data", "default", "final", "foo", "bar", "label"),
        *("last", "latest", "manual", "my", "name", "new", "none", "null", "now"),
        *("old", "point", "restore", "save", "saved", "savepoint", "snap"),
        *("snapshot", "state", "stuff", "temp", "test", "testing", "tests", "tmp"),
        *("todo", "untitled", "v", "version", "x", "xx", "xxx", "a", "the"),
    }
)
HINT = (
    "This label will not tell anybody when to go back to it. Say what it is before, "
    'such as "pre-batch-import" or "before release 42".'
)


def hint_for(label: str | None) -> str | None:
    """Return what is better to say, for a label that is given and says nothing."""
    if label is None:
        return None
    words = _WORDS.findall(label.lower())
    return HINT if all(word in _EMPTY for word in words) else None
