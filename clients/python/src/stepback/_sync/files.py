# Written by make_sync.py from _async/files.py: do not edit.
"""Saving a folder with a version, and restoring it from one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stepback import answers, calls, folders
from stepback._sync.transport import Transport
from stepback.answers import page_of
from stepback.calls import Call
from stepback.errors import BlobMissing, UnexpectedAnswer
from stepback.folders import Scanned

ASKED_AT_ONCE = 1_000
PAGE = 100
# In which somebody may collect what was there a moment ago.
TRIES = 3


def _digests(given: Any) -> list[str]:
    """Raises: UnexpectedAnswer."""
    found = answers.described(given).get("missing")
    if not isinstance(found, list):
        raise UnexpectedAnswer("The answer does not say what is missing.")
    return found


def _file(given: Any) -> dict[str, Any]:
    """Raises: UnexpectedAnswer."""
    found = dict(answers.described(given))
    if not {"path", "mode", "chunks"} <= found.keys():
        raise UnexpectedAnswer("A file of the answer is not complete.")
    return found


class Files:
    """Sends what the server has not, and reads what the folder has not."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def save(
        self,
        session_id: str,
        folder: str | os.PathLike[str],
        artifacts: Sequence[Any],
        about: Mapping[str, Any],
        key: str | None,
    ) -> answers.State:
        """Raises: OSError, FileChanged, and what the server refuses it with."""
        found = folders.scan(folder)
        self._upload(found, self._missing(list(found.chunks)))
        body = {**about, "artifacts": [*found.artifacts, *artifacts]}
        for _ in range(TRIES - 1):
            try:
                return self._written(session_id, body, key)
            except BlobMissing as missing:
                self._upload(found, missing.digests)
        return self._written(session_id, body, key)

    def restore(
        self, session_id: str, folder: str | os.PathLike[str], version: int
    ) -> list[str]:
        """Raises: UnsafePath before anything is written; FileChanged, OSError."""
        found = self._listed(session_id, version)
        Path(folder).mkdir(parents=True, exist_ok=True)
        places = [folders.place(folder, one["path"]) for one in found]
        written = []
        for one, place in zip(found, places, strict=True):
            if not folders.is_there(place, one["chunks"]):
                self._fetch(session_id, version, one, place)
            elif not folders.set_mode(place, one["mode"]):
                continue
            written.append(str(one["path"]))
        return written

    def _missing(self, digests: Sequence[str]) -> list[str]:
        found: list[str] = []
        for start in range(0, len(digests), ASKED_AT_ONCE):
            asked = {"digests": list(digests[start : start + ASKED_AT_ONCE])}
            told = self._transport.run(
                Call(
                    method="POST",
                    path=calls.path("blobs", "missing"),
                    read=_digests,
                    body=asked,
                    reads=True,
                )
            )
            found += told
        return found

    def _upload(self, found: Scanned, digests: Sequence[str]) -> None:
        for digest in digests:
            self._transport.run(
                Call(
                    method="PUT",
                    path=calls.path("blobs", digest),
                    read=answers.anything,
                    content=found.chunks[digest].read(),
                    reads=True,
                )
            )

    def _written(
        self, session_id: str, body: Mapping[str, Any], key: str | None
    ) -> answers.State:
        return self._transport.run(
            Call(
                method="PATCH",
                path=calls.path("sessions", session_id, "state"),
                read=answers.State.of,
                body=body,
                idempotency_key=key,
            )
        )

    def _listed(self, session_id: str, version: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        after: str | None = None
        while True:
            page = self._transport.run(
                Call(
                    method="GET",
                    path=calls.path(
                        "sessions", session_id, "versions", version, "files"
                    ),
                    read=page_of(_file),
                    query={"limit": PAGE, "starting_after": after},
                )
            )
            found += page.data
            after = page.last_id
            if not page.has_more:
                return found

    def _fetch(
        self, session_id: str, version: int, file: Mapping[str, Any], place: Path
    ) -> None:
        """Read a file a chunk at a time, and put it in its place once it is whole."""
        address = ("sessions", session_id, "versions", version, "files")
        start = 0
        opened = folders.begin(place)
        try:
            with opened:
                for chunk in file["chunks"]:
                    end = start + chunk["size"]
                    data = self._transport.run(
                        Call(
                            method="GET",
                            path=calls.path(*address, *file["path"].split("/")),
                            read=bytes,
                            headers={"Range": f"bytes={start}-{end - 1}"},
                            is_raw=True,
                        )
                    )
                    opened.write(folders.checked(data, chunk["sha256"], file["path"]))
                    start = end
            folders.finish(opened.name, place, file["mode"])
        except BaseException:
            Path(opened.name).unlink(missing_ok=True)
            raise
