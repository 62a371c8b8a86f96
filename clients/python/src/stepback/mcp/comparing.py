"""TuskPoint's comparison: top-level keys alone, told as data and in lines."""

from __future__ import annotations

from typing import Any


def compared(before: Any, after: Any) -> dict[str, Any]:
    """Return what was added, removed and changed; a value that is no object is one."""
    old, new = _object(before), _object(after)
    added = {key: new[key] for key in sorted(new) if key not in old}
    removed = {key: old[key] for key in sorted(old) if key not in new}
    changed = {
        key: {"from": old[key], "to": new[key]}
        for key in sorted(old)
        if key in new and old[key] != new[key]
    }
    lines = [f"+ {key}: {value!r}" for key, value in added.items()]
    lines += [f"- {key}: {value!r}" for key, value in removed.items()]
    lines += [
        f"~ {key}: {one['from']!r} -> {one['to']!r}" for key, one in changed.items()
    ]
    return {
        "added": added,
        "removed": removed,
        "changed": changed,
        "human_readable": "\n".join(lines) or "(no differences)",
    }


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"value": value}
