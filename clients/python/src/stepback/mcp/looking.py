"""What tells of a thread or of all: proof, blame, timeline, search."""

from __future__ import annotations

from typing import Any

from stepback.answers import NamedCheckpoint
from stepback.mcp import descriptions
from stepback.mcp.threads import (
    UNTRUSTED,
    Refused,
    Result,
    Threads,
)


class LookingTools(Threads):
    """What reads alone."""

    async def verify(self, thread_id: str) -> Result:
        """Have the server recompute the thread's history from what it stored."""
        session_id = await self._found(thread_id)
        found = [] if session_id is None else await self._all(session_id, None)
        holds, broken = True, None
        if session_id is not None:
            holds, broken = await self._verdict(session_id)
        steps = [_step(one, broken) for one in reversed(found)]
        verified = sum(one["status"] == "PASS" for one in steps)
        tampered = sum(one["status"] == "FAIL" for one in steps)
        return {
            "thread_id": thread_id,
            "ok": verified > 0 and tampered == 0 and holds,
            "checkpoint_count": len(steps),
            "verified": verified,
            "tampered_count": tampered,
            "steps": steps,
        }

    def info(self) -> Result:
        """Return what there is, and how to connect to it."""
        return descriptions.info(self._transport)

    async def blame(
        self, thread_id: str, pointer: str, limit: int, after: str
    ) -> Result:
        """Tell who set a value, from what to what, and why."""
        session_id = await self._required(thread_id)
        found = await self._client.sessions.blame(
            session_id, pointer, limit=limit, starting_after=after or None
        )
        return {**found.raw, "thread_id": thread_id, "note": UNTRUSTED}

    async def bisect(self, thread_id: str, check: str, limit: int) -> Result:
        """Tell which versions turned a check, and who wrote them."""
        session_id = await self._required(thread_id)
        found = await self._client.sessions.bisect(session_id, check, limit=limit)
        return {**found.raw, "thread_id": thread_id, "note": UNTRUSTED}

    async def merge_preview(
        self, thread_id: str, verb: str, fork_thread_id: str, first: int, last: int
    ) -> Result:
        """Tell what promoting a fork, or a range of versions, would make."""
        sessions = self._client.sessions
        session_id = await self._required(thread_id)
        match verb:
            case "promote":
                fork = await self._required(fork_thread_id)
                found = await sessions.preview_promote(session_id, fork)
            case "revert":
                found = await sessions.preview_revert(session_id, first, last)
            case "reapply":
                found = await sessions.preview_reapply(session_id, first, last)
            case _:
                raise Refused("verb takes promote, revert or reapply")
        return {**found.raw, "thread_id": thread_id, "note": UNTRUSTED}

    async def incident(self, incident_id: str) -> Result:
        """Tell an incident and its report, or which incidents there are."""
        if not incident_id:
            page = await self._client.incidents.list()
            listed = [dict(one.raw) for one in page.data]
            about = {"has_more": page.has_more, "note": UNTRUSTED}
            return {"incidents": listed, **about}
        report = await self._client.incidents.report(incident_id)
        return {**report.raw, "note": UNTRUSTED}

    async def timeline(self, thread_id: str, limit: int) -> Result:
        """Tell each version's changes, newest first."""
        session_id = await self._required(thread_id)
        page = await self._client.sessions.list_versions(session_id, limit=limit)
        shown = ("version", "op", "created_at", "updated_by", "reasoning", "flags")
        more = ("labels", "restored_version", "set_aside_by", "changes")
        versions = [
            {name: one.raw[name] for name in (*shown, *more)}
            | {"contents_erased": one.contents_erased}
            for one in page.data
        ]
        return {
            "thread_id": thread_id,
            "session_id": session_id,
            "current_version": page.current_version,
            "versions": versions,
            "has_more": page.has_more,
            "removed": list(page.removed),
            "note": UNTRUSTED,
        }

    async def search(self, query: str, kind: str, limit: int) -> Result:
        """Find sessions or versions by the terms of the server's own search."""
        which: Any = kind
        page = await self._client.search(query, kind=which, limit=limit)
        return {
            "query": query,
            "results": [dict(one.raw) for one in page.data],
            "next": page.next,
            "notices": list(page.notices),
            "note": UNTRUSTED,
        }

    async def _verdict(self, session_id: str) -> tuple[bool, int | None]:
        """Return whether the history holds, and the first version that does not.

        Turns are verified after all versions: a broken one leaves them as they are.
        """
        after = after_turn = None
        while True:
            told = await self._client.sessions.verify(
                session_id, after=after, after_turn=after_turn
            )
            if not told.valid:
                first = told.first_invalid or {}
                number = first.get("version")
                if first.get("turn") is not None:
                    return False, None
                return False, 0 if number is None else int(number)
            if not told.has_more:
                return True, None
            after, after_turn = told.last_version, told.last_turn


def _step(one: NamedCheckpoint, broken: int | None) -> Result:
    status = "PASS"
    if broken is not None and one.version >= broken:
        status = "FAIL" if one.version == broken else "UNVERIFIED"
    return {
        "checkpoint_id": one.checkpoint_id,
        "blob_id": one.chain,
        "stored_hash": one.chain,
        "recomputed_hash": one.chain if status == "PASS" else None,
        "status": status,
    }
