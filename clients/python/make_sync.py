"""Writes what the client has twice: synchronous calls, and the server's checks.

`python clients/python/make_sync.py` after a change to `_async`, which is written by
hand, or to `apps/checks`, by which both sides decide alike; a test fails where the two
differ.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "src" / "stepback"
MARK = "# Written by make_sync.py from {}: do not edit.\n"
WORDS = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b(pause|passes)_async\b", r"\1"),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\bhttpx\.AsyncClient\b", "httpx.Client"),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\bstepback\._async\b", "stepback._sync"),
]

ROOT = Path(__file__).parents[2]
# What a check needs to be read and decided; a client does not write any.
CHECKS = (
    *(f"apps/checks/{name}.py" for name in ("errors", "evaluating", "language")),
    *(f"apps/checks/{name}.py" for name in ("limits", "model", "places")),
    *(f"apps/checks/{name}.py" for name in ("tokens", "values")),
    "apps/diffs/pointers.py",
)
PLACES = (
    (r"\bapps\.checks\b", "stepback.checks"),
    (r"\bapps\.diffs\.pointers\b", "stepback.checks.pointers"),
)


def written() -> dict[Path, str]:
    """Return every module that is written as it should be."""
    return synchronous() | checks()


def checks() -> dict[Path, str]:
    """Return the modules of the client's checks."""
    found = {}
    for source in CHECKS:
        text = (ROOT / source).read_text()
        for pattern, word in PLACES:
            text = re.sub(pattern, word, text)
        place = PACKAGE / "checks" / Path(source).name
        found[place] = formatted(MARK.format(source) + text)
    return found


def synchronous() -> dict[Path, str]:
    """Return every synchronous module."""
    found = {}
    for source in sorted((PACKAGE / "_async").glob("*.py")):
        text = source.read_text()
        for pattern, word in WORDS:
            text = re.sub(pattern, word, text)
        name = source.relative_to(PACKAGE)
        found[PACKAGE / "_sync" / source.name] = (
            formatted(MARK.format(name) + text) if text else ""
        )
    return found


def formatted(text: str) -> str:
    """Return the text as the project's formatter writes it."""
    ruff = str(Path(sys.executable).parent / "ruff")
    for command in (["check", "--select", "I", "--fix"], ["format"]):
        done = subprocess.run(  # noqa: S603 - our own formatter, on our own source
            [
                ruff,
                *command,
                "--quiet",
                "--stdin-filename",
                str(PACKAGE / "_sync" / "written.py"),
                "-",
            ],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout
    return text


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text)
