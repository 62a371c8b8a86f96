"""What an agent remembers, and what it recalls."""

from __future__ import annotations

from stepback.mcp.threads import UNTRUSTED, Refused, Result, Threads

TOLD = (
    *("id", "content", "type", "tags", "scope", "session_id", "user_id", "status"),
    *("confidence", "near", "created_at"),
)
# How it was looked, and what was not: an empty list says little without.
LOOKED = ("method", "pending", "stale", "truncated", "why")


class MemoryTools(Threads):
    """Memories of sessions, users, agents and the project."""

    async def remember(self, content: str, kind: str, place: dict[str, str]) -> Result:
        """Remember a text; equal text is one memory."""
        named = {name: said for name, said in place.items() if said}
        session_id = named.pop("session_id", None)
        made = await self._client.memory.add(
            content,
            kind or None,
            session_id,
            user_id=named.get("user_id"),
            agent_id=named.get("agent"),
            scope=named.get("scope"),
        )
        return {name: made.raw[name] for name in TOLD}

    async def recall(self, query: str, limit: int, place: dict[str, str]) -> Result:
        """Return the memories that are nearest to a question."""
        if not query.strip():
            raise Refused("Say what to recall.")
        named = {name: said for name, said in place.items() if said}
        found = await self._client.memory.search(
            query,
            named.get("session_id"),
            limit=limit,
            threshold=0.3,
            user_id=named.get("user_id"),
            agent_id=named.get("agent"),
        )
        told = [
            {name: one[name] for name in (*TOLD, "score")} for one in found.raw["data"]
        ]
        return {
            "memories": told,
            **{name: found.raw[name] for name in LOOKED},
            "note": UNTRUSTED,
        }
