"""What agents are held to, read alone: guards, schemas, budgets, shared documents."""

from __future__ import annotations

from typing import Any

from stepback.mcp.threads import UNTRUSTED, Refused, Result, Threads


class HoldingTools(Threads):
    """What a caller may read of the rules that it writes under."""

    async def guards(self, agent: str, guard_id: str, trial_id: str) -> Result:
        """Tell an agent's guards; of one what it said, and what its trial found."""
        guards = self._client.guards
        if not guard_id:
            if trial_id:
                raise Refused("trial_id takes the guard_id of its guard.")
            page = await guards.list(agent_id=agent or None)
            return _listed("guards", page)
        found: Result = dict((await guards.get(guard_id)).raw)
        trial = trial_id or found.get("trial_id")
        if trial:
            found["trial"] = dict((await guards.get_trial(guard_id, trial)).raw)
        return {**found, "note": UNTRUSTED}

    async def guard_verdicts(
        self, thread_id: str, guard_id: str, limit: int, after: str
    ) -> Result:
        """Tell what guards said of a thread's writes, or a guard of all of them."""
        page: Any
        if guard_id:
            if thread_id:
                raise Refused("Give thread_id or guard_id, not both.")
            page = await self._client.guards.list_guard_verdicts(
                guard_id, limit=limit, starting_after=after or None
            )
        else:
            page = await self._client.guards.list_verdicts(
                await self._required(thread_id),
                limit=limit,
                starting_after=after or None,
            )
        return _listed("verdicts", page)

    async def schemas(self, agent: str) -> Result:
        """Tell an agent's schemas and the migrations between them."""
        declared = await self._client.schemas.list(agent)
        migrations = await self._client.schemas.migrations(agent)
        return {
            "schemas": [dict(one.raw) for one in declared.data],
            "migrations": [dict(one.raw) for one in migrations.data],
            "note": UNTRUSTED,
        }

    async def budgets(self, thread_id: str, agent: str, limit: int) -> Result:
        """Tell the budgets of a thread or an agent, with what is used of each."""
        session_id = await self._required(thread_id) if thread_id else None
        page = await self._client.budgets.list(
            session_id=session_id, agent_id=agent or None, limit=limit
        )
        return _listed("budgets", page)

    async def shared(self, name: str, limit: int) -> Result:
        """Tell a shared document and who holds it, or which documents there are."""
        if not name:
            return _listed("documents", await self._client.shared.list(limit=limit))
        found = await self._client.shared.get(name)
        return {**found.raw, "note": UNTRUSTED}


def _listed(what: str, page: Any) -> Result:
    return {
        what: [dict(one.raw) for one in page.data],
        "has_more": page.has_more,
        "last_id": page.last_id,
        "note": UNTRUSTED,
    }
