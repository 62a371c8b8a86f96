"""Agents' data, and checkpoints of an agent's config and data.

Those of threads, `checkpoint_…`, are something else: they save a state.
"""

from __future__ import annotations

from stepback.errors import Conflict, KeyNotFound
from stepback.mcp.threads import UNTRUSTED, Refused, Result, Threads

KEPT = ("key", "value", "metadata", "version", "number", "updated_at", "expires_at")
MADE = ("checkpoint_id", "label", "number", "config_version", "key_count", "created_at")
DONE = (
    *("checkpoint_id", "number", "config_restored", "config_changed", "config_version"),
    *("data_restored", "data_keys_restored", "data_keys_changed", "data_keys_removed"),
    *("data_keys_expired", "data_keys_skipped", "steps"),
    *("audit_id", "restored_at", "verified", "verified_why"),
)
PLANNED = ("checkpoint_id", "expected_version", "config", "data", "recent_writers")


class AgentTools(Threads):
    """What is done to one agent's data, under the policies of its config."""

    async def read_data(self, agent: str, key: str) -> Result:
        """Return what stands under a key."""
        try:
            found = await self._client.data.read(agent, key)
        except KeyNotFound:
            raise Refused(f"key not found: {key}", agent=agent) from None
        told = {name: found.raw[name] for name in KEPT}
        return {"agent": agent, **told, "note": UNTRUSTED}

    async def write_data(
        self, agent: str, key: str, value: str, reason: str, expected: int | None
    ) -> Result:
        """Write a value; one that a policy blocks is told as that, and not stored."""
        try:
            done = await self._client.data.write(
                agent, key, value, reasoning=reason or None, expected_version=expected
            )
        except Conflict:
            raise Refused(
                f"key has changed: {key} is not at version {expected}; read it again",
                agent=agent,
            ) from None
        return {"agent": agent, **done.raw}

    async def create_checkpoint(
        self, agent: str, label: str, description: str
    ) -> Result:
        """Keep config and data as they stand; nothing is copied."""
        made = await self._client.checkpoints.create(
            agent, label or None, description or None
        )
        told = {name: made.raw[name] for name in MADE}
        return {"agent": agent, **told, "hint": made.hint}

    async def restore_checkpoint(
        self, agent: str, checkpoint_id: str, confirm: bool, expected: int | None
    ) -> Result:
        """Tell what a restore would do; do it once that was seen and is confirmed."""
        if not confirm:
            return await self._planned(agent, checkpoint_id)
        if expected is None:
            raise Refused(
                "ask without confirm first, and send the expected_version of that "
                "preview: nothing was restored",
                agent=agent,
            )
        try:
            done = await self._client.checkpoints.restore(
                agent,
                checkpoint_id,
                expected_version=expected,
                reasoning=f"Restored to checkpoint {checkpoint_id} over MCP",
            )
        except Conflict as moved:
            raise Refused(
                "somebody has written since the preview: ask for another one; nothing "
                "was restored",
                agent=agent,
                head=moved.head,
            ) from None
        told = {name: done.raw[name] for name in DONE}
        return {"agent": agent, "restored": True, **told}

    async def _planned(self, agent: str, checkpoint_id: str) -> Result:
        told = await self._client.checkpoints.preview_restore(agent, checkpoint_id)
        return {
            "agent": agent,
            "restored": False,
            **{name: told.raw[name] for name in PLANNED},
            "next": "Nothing was restored. If this is wanted, call again with confirm "
            f"true and expected_version {told.expected_version}.",
            "note": UNTRUSTED,
        }
