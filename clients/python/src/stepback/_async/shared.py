"""Shared documents: a blackboard that agents of a project write together."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource, Segments
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.errors.sharing import Leased, LeaseLost
from stepback.renewing import AsyncRenewing
from stepback.stories import Json, Noted, Order, Written
from stepback.waiting import AGAIN_SECONDS, pause_async


class AsyncShared(AsyncResource):
    """Documents by name: `public/…`, or `agent/<your name of the agent>/…`."""

    async def get(self, name: str) -> answers.Shared:
        """Read the newest version, and who holds the document.

        Raises: SharedNotFound until the first write.
        """
        return await self._ask(answers.Shared.of, _at(name))

    async def wait_for_newer(
        self, name: str, version: int, *, seconds: float
    ) -> answers.Shared:
        """Wait for a version above this one; after that time return what is there."""
        rounds = self._rounds(seconds)
        while True:
            found = await self._ask(
                answers.Shared.of, _at(name), newer_than=version, wait=rounds.begin()
            )
            if found.version > version or rounds.is_over:
                return found
            await pause_async(rounds.pause())

    async def update(
        self,
        name: str,
        state: Mapping[str, Json] | None = None,
        reasoning: str | None = None,
        *,
        remove: Sequence[str] | None = None,
        operations: Sequence[Mapping[str, Json]] | None = None,
        fence: int | None = None,
        **written: Unpack[Written],
    ) -> answers.SharedWrite:
        """Merge top-level keys, then remove pointers; the first write makes it.

        Raises: Leased where another holds it, LeaseLost where the fence is not the
        newest, Conflict if `expected_version` is not the newest.
        """
        body = given(
            state=state,
            remove=remove,
            operations=operations,
            reasoning=reasoning,
            fence=fence,
            **written,
        )
        return await self._send("PATCH", _at(name), body, answers.SharedWrite.of)

    async def replace(
        self,
        name: str,
        state: Mapping[str, Json],
        reasoning: str | None = None,
        *,
        fence: int | None = None,
        **written: Unpack[Written],
    ) -> answers.SharedWrite:
        """Set the state as a whole; raises as `update` does."""
        body = given(state=state, reasoning=reasoning, fence=fence, **written)
        return await self._send("PUT", _at(name), body, answers.SharedWrite.of)

    async def rollback(
        self,
        name: str,
        version: int,
        reasoning: str | None = None,
        *,
        reason_code: str | None = None,
        fence: int | None = None,
        **noted: Unpack[Noted],
    ) -> answers.SharedWrite:
        """Append a version with the state of an earlier one; raises as `update`."""
        body = given(
            version=version,
            reasoning=reasoning,
            reason_code=reason_code,
            fence=fence,
            **noted,
        )
        segments = (*_at(name), "rollback")
        return await self._send("POST", segments, body, answers.SharedWrite.of)

    async def versions(
        self,
        name: str,
        *,
        limit: int = 20,
        order: Order = "desc",
        starting_after: int | None = None,
    ) -> answers.Page[answers.Version]:
        """List its versions, the newest first."""
        return await self._ask(
            page_of(answers.Version.of),
            (*_at(name), "versions"),
            limit=limit,
            order=order,
            starting_after=starting_after,
        )

    async def version(self, name: str, number: int) -> answers.Version:
        """Read one version with its state; -1 is the one before the newest."""
        return await self._ask(answers.Version.of, (*_at(name), "versions", number))

    async def list(
        self,
        *,
        prefix: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.SharedName]:
        """List documents by name."""
        return await self._ask(
            page_of(answers.SharedName.of),
            ("shared",),
            prefix=prefix,
            limit=limit,
            starting_after=starting_after,
        )

    async def take_lease(self, name: str, holder: str, seconds: int) -> answers.Lease:
        """Hold the document: only writes with the lease's fence are taken meanwhile.

        The same holder is handed out the same fence again. Raises: Leased.
        """
        return await self._leased(name, ("lease",), holder=holder, seconds=seconds)

    async def renew_lease(self, name: str, fence: int, seconds: int) -> answers.Lease:
        """Hold it for so many seconds from now. Raises: LeaseLost."""
        segments = ("lease", "renew")
        return await self._leased(name, segments, fence=fence, seconds=seconds)

    async def release_lease(self, name: str, fence: int) -> answers.Lease:
        """Give it back; once more changes nothing. Raises: LeaseLost."""
        return await self._leased(name, ("lease", "release"), fence=fence)

    async def _leased(
        self, name: str, segments: Segments, **body: Json
    ) -> answers.Lease:
        """Ask for a lease without a key: again it says how the lease stands then."""
        return await self._transport.run(
            Call(
                method="POST",
                path=calls.path(*_at(name), *segments),
                read=answers.Lease.of,
                reads=True,
                body=body,
            )
        )

    @asynccontextmanager
    async def lease(
        self, name: str, holder: str, *, seconds: int = 30, wait: float = 0
    ) -> AsyncIterator[AsyncHeld]:
        """Hold the document in a block, renewed until it is left.

        `wait` is how long to wait for another holder. Write with what is yielded: a
        write that comes too late, after another took the lease, raises LeaseLost.

        Raises: Leased.
        """
        lease = await self._taken(name, holder, seconds, wait)

        async def renew() -> object:
            return await self.renew_lease(name, lease.fence, seconds)

        try:
            async with AsyncRenewing(renew, seconds / 3):
                yield AsyncHeld(self, name, lease.fence)
        finally:
            # Whoever took it meanwhile has it: there is nothing to give back.
            with suppress(LeaseLost):
                await self.release_lease(name, lease.fence)

    async def _taken(
        self, name: str, holder: str, seconds: int, wait: float
    ) -> answers.Lease:
        until = time.monotonic() + wait
        while True:
            try:
                return await self.take_lease(name, holder, seconds)
            except Leased as held:
                left = until - time.monotonic()
                if left <= 0:
                    raise
                await pause_async(min(left, held.seconds_left, AGAIN_SECONDS))


@dataclass(frozen=True)
class AsyncHeld:
    """A document that is held: its writes carry the lease's fence."""

    shared: AsyncShared
    name: str
    fence: int

    async def get(self) -> answers.Shared:
        """Read the newest version."""
        return await self.shared.get(self.name)

    async def update(
        self,
        state: Mapping[str, Json] | None = None,
        reasoning: str | None = None,
        *,
        remove: Sequence[str] | None = None,
        **written: Unpack[Written],
    ) -> answers.SharedWrite:
        """Merge into the state. Raises: LeaseLost."""
        return await self.shared.update(
            self.name, state, reasoning, remove=remove, fence=self.fence, **written
        )

    async def replace(
        self,
        state: Mapping[str, Json],
        reasoning: str | None = None,
        **written: Unpack[Written],
    ) -> answers.SharedWrite:
        """Set the state as a whole. Raises: LeaseLost."""
        return await self.shared.replace(
            self.name, state, reasoning, fence=self.fence, **written
        )


def _at(name: str) -> Segments:
    return ("shared", *name.split("/"))
