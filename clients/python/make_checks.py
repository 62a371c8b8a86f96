"""Writes the client's checks from the server's, so that both read and decide alike.

`python clients/python/make_checks.py` after a change to `apps/checks` or to the
pointers that they follow; a test fails where the two differ.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACE = Path(__file__).parent / "src" / "stepback" / "checks"
MARK = "# Written by make_checks.py from {}: do not edit.\n"
# What a text needs to be read and decided; a client does not write checks.
SOURCES = (
    *(f"apps/checks/{name}.py" for name in ("errors", "evaluating", "language")),
    *(f"apps/checks/{name}.py" for name in ("limits", "model", "places")),
    *(f"apps/checks/{name}.py" for name in ("tokens", "values")),
    "apps/diffs/pointers.py",
)
NAMES = (
    (r"\bapps\.checks\b", "stepback.checks"),
    (r"\bapps\.diffs\.pointers\b", "stepback.checks.pointers"),
)


def written() -> dict[Path, str]:
    """Return every module of the client's checks as it should be."""
    found = {}
    for source in SOURCES:
        text = (ROOT / source).read_text()
        for pattern, name in NAMES:
            text = re.sub(pattern, name, text)
        found[PLACE / Path(source).name] = MARK.format(source) + text
    return found


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text)
