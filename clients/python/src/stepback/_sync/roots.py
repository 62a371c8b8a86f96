# Written by make_sync.py from _async/roots.py: do not edit.
"""Signed roots: notes over where histories end, and proofs that need no server."""

from __future__ import annotations

from stepback import answers
from stepback._sync.resource import Resource
from stepback.answers import page_of

ROOTS = ("roots",)


class Roots(Resource):
    """Notes with their leaves, the public keys, and proofs of sessions."""

    def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.ListedRoot]:
        """List notes, newest first, without their leaves."""
        return self._ask(
            page_of(answers.ListedRoot.of),
            ROOTS,
            limit=limit,
            starting_after=starting_after,
        )

    def get(self, number: int) -> answers.Root:
        """Read a note with its leaves: those of others are hashes alone."""
        return self._ask(answers.Root.of, (*ROOTS, number))

    def keys(self) -> answers.RootKeys:
        """Read the public keys; write yours down elsewhere."""
        return self._ask(answers.RootKeys.of, (*ROOTS, "key"))

    def prove(self, session_id: str) -> answers.SessionProof:
        """Ask for the proof of a session's newest signed version.

        `stepback.proofs.verify_proof(proof.raw, key)` checks it without the server.
        """
        segments = ("sessions", session_id, "proof")
        return self._ask(answers.SessionProof.of, segments)
