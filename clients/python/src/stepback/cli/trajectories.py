"""A session as a file: JSON lines, from which anybody can tell whether it is whole.

A header, each version with its state and turns in order, and a trailer with counts, the
end of the chain and the digest of all lines before it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from stepback._sync.client import Stepback
from stepback.answers import Turn
from stepback.bundles import read_bundle
from stepback.bundles.lines import FORMAT, Lines
from stepback.cli.asking import PAGE, every
from stepback.cli.output import Output, Progress

# How a zip begins.
ARCHIVE = b"PK"


def export(client: Stepback, asked: Namespace, output: Output) -> None:
    """Write the session's history, as of the version that is its head now."""
    with _opened(asked.file) as stream:
        counts = write(client, asked.session, stream)
    if asked.file is not None:
        told = f"{counts['versions']} versions and {counts['turns']} turns"
        output.result(counts, f"Wrote {told} to {asked.file}.")


def write(client: Stepback, session_id: str, stream: TextIO) -> dict[str, Any]:
    """Write header, lines and trailer; return the trailer."""
    session = client.sessions.get(session_id)
    about = {name: one for name, one in session.raw.items() if name != "state"}
    digest = hashlib.sha256()
    progress = Progress("versions", session.version + 1)

    def line(told: dict[str, Any]) -> None:
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n"
        digest.update(text.encode())
        stream.write(text)

    line({"type": "header", "format": FORMAT, "session": about})
    chain, versions, turns = "", 0, 0
    pending = _turns(client, session_id)
    turn = next(pending, None)
    for version in _versions(client, session_id, session.version):
        line(version)
        if version["type"] == "removed":
            continue
        chain, versions = version["chain"], versions + 1
        while turn is not None and turn.version <= version["version"]:
            line({"type": "turn", **turn.raw})
            turns += 1
            turn = next(pending, None)
        progress.step()
    progress.end()
    trailer = {
        "type": "trailer",
        "versions": versions,
        "turns": turns,
        "chain_end": chain,
        "sha256": digest.hexdigest(),
    }
    stream.write(json.dumps(trailer, separators=(",", ":")) + "\n")
    return trailer


def check(asked: Namespace, output: Output) -> None:
    """Tell whether a file is as it was written.

    Raises: Damaged.
    """
    trailer = read(asked.file)
    told = f"{trailer['versions']} versions, {trailer['turns']} turns"
    output.result(trailer, f"{asked.file} is whole: {told}.")


def read(path: Path) -> dict[str, Any]:
    """Return the trailer of a file, or of the bundle that it is.

    Raises: Damaged, BundleRefused.
    """
    with path.open("rb") as lines:
        if lines.read(len(ARCHIVE)) == ARCHIVE:
            return dict(read_bundle(path).trailer)
        lines.seek(0)
        found = Lines(lines, path)
        for _ in found.read():
            pass
    return found.trailer


def _versions(client: Stepback, session_id: str, head: int) -> Iterator[dict[str, Any]]:
    """Yield the lines of versions, and what stands where some were removed."""
    after = -1
    while after < head:
        page = client.sessions.list_versions(
            session_id,
            order="asc",
            starting_after=after,
            limit=min(PAGE, head - after),
            include_state=True,
        )
        gaps = [dict(one) for one in page.removed if one["first_version"] <= head]
        for version in page.data:
            while gaps and gaps[0]["first_version"] < version.version:
                yield {"type": "removed", **gaps.pop(0)}
            if version.version <= head:
                yield {"type": "version", **version.raw}
        after = page.data[-1].version


def _turns(client: Stepback, session_id: str) -> Iterator[Turn]:
    return every(
        lambda after: client.sessions.list_turns(
            session_id, order="asc", starting_after=after, limit=PAGE
        )
    )


@contextmanager
def _opened(path: Path | None) -> Iterator[TextIO]:
    """Open a new file, or standard output; an existing file is not overwritten."""
    if path is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    opened = path.open("x", encoding="utf-8")
    try:
        with opened as stream:
            yield stream
    except BaseException:
        # What is there of it is no export, and in the way of the next.
        path.unlink(missing_ok=True)
        raise
