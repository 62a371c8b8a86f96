"""Exports: conversations, records, a session or a person, as a file."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import IO

from stepback import answers, calls, folders
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.folders import FileChanged
from stepback.waiting import pause_async

EXPORTS = ("exports",)
# So much of a file is asked for at once.
AT_ONCE = 8 * 1024 * 1024


class AsyncExports(AsyncResource):
    """Files of what is kept, which the server makes and keeps for a week."""

    async def ask(
        self,
        kind: str = "trajectories",
        *,
        agent: str | None = None,
        release: str | None = None,
        model: str | None = None,
        label: str | None = None,
        outcome: str | None = None,
        rolled_back: bool | None = None,
        most_tokens: int | None = None,
        most_cost: float | None = None,
        session_id: str | None = None,
        user_id: str | None = None,
        start: str | None = None,
        end: str | None = None,
        format: str | None = None,
        unmasked: bool | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Export:
        """Have a file made: `trajectories`, `audit`, `session` or `person`.

        Each kind takes filters of its own; a session says `session_id`, a person
        `user_id`.
        """
        body = given(
            kind=kind,
            agent=agent,
            release=release,
            model=model,
            label=label,
            outcome=outcome,
            rolled_back=rolled_back,
            most_tokens=most_tokens,
            most_cost=most_cost,
            session_id=session_id,
            user_id=user_id,
            start=start,
            end=end,
            format=format,
            unmasked=unmasked,
        )
        read = answers.Export.of
        return await self._send("POST", EXPORTS, body, read, idempotency_key)

    async def get(self, export_id: str) -> answers.Export:
        """Read how far an export is and, once it `is_ready`, its file's digest."""
        return await self._ask(answers.Export.of, (*EXPORTS, export_id))

    async def wait(self, export_id: str, *, interval: float = 1.0) -> answers.Export:
        """Wait until an export is made, or is over in another way, and return it."""
        while True:
            found = await self.get(export_id)
            if not found.is_making:
                return found
            await pause_async(interval)

    async def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.Export]:
        """List exports, newest first."""
        return await self._ask(
            page_of(answers.Export.of),
            EXPORTS,
            limit=limit,
            starting_after=starting_after,
        )

    async def download(self, export_id: str, file: str | os.PathLike[str]) -> int:
        """Write an export's file, a piece at a time; return how many bytes it has.

        It is in its place once it is whole.

        Raises: FileChanged where it is not what its digest says; OSError.
        """
        export = await self.get(export_id)
        place = Path(file)
        opened = folders.begin(place)
        try:
            with opened:
                await self._write(export, opened)
            folders.finish(opened.name, place, None)
        except BaseException:
            Path(opened.name).unlink(missing_ok=True)
            raise
        return export.bytes

    async def _write(self, export: answers.Export, opened: IO[bytes]) -> None:
        """Raises: FileChanged; what the server refuses it with, if there is no file."""
        digest = hashlib.sha256()
        starts = range(0, export.bytes, AT_ONCE) if export.is_ready else (0,)
        for start in starts:
            data = await self._piece(export, start)
            digest.update(data)
            opened.write(data)
        if digest.hexdigest() != export.sha256:
            raise FileChanged(f"{export.id} is not what its SHA-256 says.")

    async def _piece(self, export: answers.Export, start: int) -> bytes:
        end = min(start + AT_ONCE, export.bytes) - 1
        return await self._transport.run(
            Call(
                method="GET",
                path=calls.path(*EXPORTS, export.id, "file"),
                read=bytes,
                headers={"Range": f"bytes={start}-{end}"},
                is_raw=True,
            )
        )
