"""Signed roots: notes over where histories end, and proofs that need no server."""

from __future__ import annotations

from stepback import answers
from stepback._async.resource import AsyncResource
from stepback.answers import page_of

ROOTS = ("roots",)


class AsyncRoots(AsyncResource):
    """Notes with their leaves, the public keys, and proofs of sessions."""

    async def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.ListedRoot]:
        """List notes, newest first, without their leaves."""
        return await self._ask(
            page_of(answers.ListedRoot.of),
            ROOTS,
            limit=limit,
            starting_after=starting_after,
        )

    async def get(self, number: int) -> answers.Root:
        """Read a note with its leaves: those of others are hashes alone."""
        return await self._ask(answers.Root.of, (*ROOTS, number))

    async def keys(self) -> answers.RootKeys:
        """Read the public keys; write yours down elsewhere."""
        return await self._ask(answers.RootKeys.of, (*ROOTS, "key"))

    async def prove(self, session_id: str) -> answers.SessionProof:
        """Ask for the proof of a session's newest signed version.

        `stepback.proofs.verify_proof(proof.raw, key)` checks it without the server.
        """
        segments = ("sessions", session_id, "proof")
        return await self._ask(answers.SessionProof.of, segments)
