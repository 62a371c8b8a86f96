"""Writes the synchronous client from the asynchronous one, which is written by hand.

`python clients/python/make_sync.py` after a change to `_async`; a test fails where
the two differ.
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
    (r"\bAsync(?=[A-Z])", ""),
    (r"\bhttpx\.AsyncClient\b", "httpx.Client"),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\bstepback\._async\b", "stepback._sync"),
]


def written() -> dict[Path, str]:
    """Return every synchronous module as it should be."""
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
