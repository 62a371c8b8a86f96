# Written by make_sync.py from _async/agent_checkpoints.py: do not edit.
"""Checkpoints of an agent's config and data: make one, go back to it, compare two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.stories import Json, Repeatable, Restorable


class AgentCheckpoints(Resource):
    """Checkpoints of agents; those of sessions are with the sessions."""

    def create(
        self,
        agent_id: str,
        label: str | None = None,
        description: str | None = None,
        *,
        metadata: Mapping[str, Json] | None = None,
        idempotency_key: str | None = None,
    ) -> answers.NewAgentCheckpoint:
        """Keep config and data as they stand, to go back to; nothing is copied."""
        body = given(label=label, description=description, metadata=metadata)
        segments = ("agents", agent_id, "checkpoints")
        read = answers.NewAgentCheckpoint.of
        return self._send("POST", segments, body, read, idempotency_key)

    def list(
        self, agent_id: str, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.AgentCheckpoint]:
        """List checkpoints, newest first."""
        return self._ask(
            page_of(answers.AgentCheckpoint.of),
            ("agents", agent_id, "checkpoints"),
            limit=limit,
            starting_after=starting_after,
        )

    def get(
        self,
        agent_id: str,
        checkpoint_id: str,
        *,
        full: bool = True,
        limit: int = 100,
        cursor: str | None = None,
    ) -> answers.AgentCheckpointDetail:
        """Read a checkpoint with a page of its keys; with their values if `full`."""
        return self._ask(
            answers.AgentCheckpointDetail.of,
            ("agents", agent_id, "checkpoints", checkpoint_id),
            full=full,
            limit=limit,
            cursor=cursor,
        )

    def preview_restore(
        self, agent_id: str, checkpoint_id: str, **parts: Unpack[Restorable]
    ) -> answers.CheckpointRestorePreview:
        """Tell what a restore would do; nothing is written."""
        body = {"dry_run": True, **given(**parts)}
        return self._transport.run(
            Call(
                method="POST",
                path=calls.path(
                    "agents", agent_id, "checkpoints", checkpoint_id, "restore"
                ),
                read=answers.CheckpointRestorePreview.of,
                reads=True,
                body=body,
            )
        )

    def restore(
        self,
        agent_id: str,
        checkpoint_id: str,
        *,
        expected_version: int | None = None,
        reasoning: str | None = None,
        idempotency_key: str | None = None,
        **parts: Unpack[Restorable],
    ) -> answers.CheckpointRestore:
        """Bring config and data back, as one version more; keys written since go.

        With the `expected_version` of a preview it raises `Conflict` if somebody has
        written since, so that nobody's writes are undone unseen.
        """
        body = given(expected_version=expected_version, reasoning=reasoning, **parts)
        segments = ("agents", agent_id, "checkpoints", checkpoint_id, "restore")
        read = answers.CheckpointRestore.of
        return self._send("POST", segments, body, read, idempotency_key)

    def compare(
        self,
        agent_id: str,
        checkpoint_id: str,
        other_id: str,
        *,
        limit: int = 100,
        cursor: str | None = None,
    ) -> answers.CheckpointComparison:
        """Tell what differs from one checkpoint to another: config, and keys."""
        segments = ("agents", agent_id, "checkpoints", checkpoint_id)
        return self._ask(
            answers.CheckpointComparison.of,
            (*segments, "compare", other_id),
            limit=limit,
            cursor=cursor,
        )

    def delete(
        self, agent_id: str, checkpoint_id: str, **once: Unpack[Repeatable]
    ) -> answers.DeletedAgentCheckpoint:
        """Delete a checkpoint; the history behind it stays."""
        segments = ("agents", agent_id, "checkpoints", checkpoint_id)
        read, key = answers.DeletedAgentCheckpoint.of, calls.key_in(once)
        return self._send("DELETE", segments, None, read, key)

    def schedule(self, agent_id: str) -> answers.CheckpointSchedule:
        """Tell on which schedule checkpoints are made, and when the next is due."""
        return self._ask(
            answers.CheckpointSchedule.of,
            ("agents", agent_id, "checkpoints", "schedule"),
        )

    def set_schedule(
        self, agent_id: str, schedule: str | None, **once: Unpack[Repeatable]
    ) -> answers.CheckpointSchedule:
        """Have them made `hourly`, `daily` or by five fields of cron; None: no more."""
        segments = ("agents", agent_id, "checkpoints", "schedule")
        read, key = answers.CheckpointSchedule.of, calls.key_in(once)
        return self._send("PUT", segments, {"schedule": schedule}, read, key)
