"""Checkpoints: saved, loaded, listed, compared, found, rolled back to."""

from __future__ import annotations

import json

from stepback.errors import MeaningUnavailable, SearchByMeaningOff
from stepback.mcp.comparing import compared
from stepback.mcp.names import new_name
from stepback.mcp.threads import (
    UNTRUSTED,
    WRAPPED,
    Refused,
    Result,
    Threads,
    summary,
    value_of,
)

MARK = {WRAPPED: {"media_type": "application/json", "base64": "dHJ1ZQ=="}}
LISTED = 100
# What of a search was not looked at: versions to come, and those older than its page.
LOOKED = ("pending", "catching_up", "has_more")
UNMARK = {WRAPPED: {"media_type": "application/json", "base64": "ZmFsc2U="}}


class CheckpointTools(Threads):
    """What is done to one thread."""

    async def save(self, thread_id: str, state_json: str) -> Result:
        """Store a state as the thread's newest checkpoint."""
        try:
            value = json.loads(state_json)
        except ValueError as error:
            raise Refused(f"state_json is not valid JSON: {error}") from None
        is_object = isinstance(value, dict)
        state = value if is_object else {"value": value}
        opaque = UNMARK if is_object else MARK
        session_id = await self._found(thread_id) or await self._begun(thread_id)
        newest = await self._checkpoints(session_id, limit=1)
        name = new_name()
        await self._client.sessions.replace_state(
            session_id,
            state,
            "Saved over MCP",
            external_id=name,
            parent_id=newest[0].checkpoint_id if newest else None,
            opaque=opaque,
        )
        return {"thread_id": thread_id, **await self._named(session_id, name)}

    async def load(self, thread_id: str, checkpoint_id: str | None) -> Result:
        """Return one state whole, or the newest."""
        found = await self._item(thread_id, checkpoint_id)
        if found is None:
            raise Refused("no checkpoint found", thread_id=thread_id)
        return {
            "thread_id": thread_id,
            "checkpoint_id": found.checkpoint_id,
            "state": value_of(found),
            "note": UNTRUSTED,
        }

    async def list_checkpoints(
        self, thread_id: str, before: str | None = None, limit: int = LISTED
    ) -> Result:
        """Return the thread's checkpoints, newest first, without their states.

        `before` goes on behind a page that was not the last.
        """
        session_id = await self._found(thread_id)
        after, found = None, []
        if before:
            last = await self._one(session_id, before) if session_id else None
            if last is None:
                raise Refused(f"checkpoint not found: {before}")
            after = last.version
        if session_id is not None:
            found = await self._all(session_id, limit + 1, after=after)
        has_more, found = len(found) > limit, found[:limit]
        return {
            "thread_id": thread_id,
            "count": len(found),
            "has_more": has_more,
            "checkpoints": [
                {
                    "checkpoint_id": one.checkpoint_id,
                    "blob_id": one.chain,
                    "parent_checkpoint_id": one.parent_id,
                    "timestamp": one.created_at,
                    "summary": summary(thread_id, one),
                }
                for one in found
            ],
        }

    async def diff(self, thread_id: str, id_a: str, id_b: str) -> Result:
        """Compare the top-level keys of two checkpoints, `id_a` being the baseline."""
        before = await self._item(thread_id, id_a)
        after = await self._item(thread_id, id_b)
        if before is None or after is None:
            raise Refused("one or both checkpoints not found")
        about = {"thread_id": thread_id, "id_a": id_a, "id_b": id_b}
        found = compared(value_of(before), value_of(after))
        return {**about, **found, "note": UNTRUSTED}

    async def find(self, query: str) -> Result:
        """Return up to five checkpoints that are nearest to a question in meaning.

        Where the server does not search by meaning, those in which all its words stand:
        of these there is no distance to tell.
        """
        try:
            return await self._nearest(query)
        except (SearchByMeaningOff, MeaningUnavailable) as why:
            return {**await self._with_words(query), "why": why.message}

    async def _nearest(self, query: str) -> Result:
        page = await self._client.search_by_meaning(query, limit=5)
        results = []
        for one in page.data:
            thread = one.external_id or one.session_id
            items = await self._page(one.session_id, after=one.version + 1)
            if items:
                text = summary(thread, items[0])
                results.append({"text": text, "distance": one.distance})
        return {
            "query": query,
            "results": results,
            "method": "meaning",
            **{name: page.raw[name] for name in LOOKED},
            "note": UNTRUSTED,
        }

    async def _with_words(self, query: str) -> Result:
        quoted = query.replace("\\", " ").replace('"', " ")
        page = await self._client.search(f'"{quoted}"', kind="versions", limit=5)
        results = []
        for one in page.data:
            thread = one.session["external_id"] or one.session_id
            items = await self._page(one.session_id, after=(one.version or 0) + 1)
            name = items[0].checkpoint_id if items else ""
            where = ", ".join(str(match["where"]) for match in one.matches)
            text = f"[thread={thread} checkpoint={name} step={one.version}] {where}."
            results.append({"text": text, "distance": None})
        return {
            "query": query,
            "results": results,
            "method": "words",
            "has_more": page.has_more,
            "note": UNTRUSTED,
        }

    async def rollback(self, thread_id: str, checkpoint_id: str) -> Result:
        """Make an earlier checkpoint the thread's head again; nothing is erased."""
        found = await self._item(thread_id, checkpoint_id)
        if found is None:
            raise Refused(f"checkpoint not found: {checkpoint_id}")
        newest = await self._head(found.session_id)
        name = new_name()
        done = await self._client.sessions.rollback(
            found.session_id,
            found.version,
            f"Rolled back to checkpoint {checkpoint_id}",
            external_id=name,
            parent_id=newest.checkpoint_id,
        )
        return {
            "thread_id": thread_id,
            **await self._named(found.session_id, name),
            "restored_from": checkpoint_id,
            "rolled_back_from": checkpoint_id,
            "verified": done.verified,
        }
