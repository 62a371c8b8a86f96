# Written by make_sync.py from _async/checkpoints.py: do not edit.
"""Versions as a checkpointer sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import Call
from stepback.stories import (
    Json,
)


class SessionCheckpoints(Resource):
    """Checkpoints, pending writes, and what is hidden."""

    def checkpoint(
        self,
        session_id: str,
        version: int | None = None,
        *,
        schema: str | None = None,
        schema_from: str | None = None,
        release: str | None = None,
        model: str | None = None,
    ) -> answers.Checkpoint:
        """Read everything to resume from, of the head or of any version.

        Under `schema` the state is migrated for the answer alone. Its `moves` say onto
        which other release, model or schema a fork or a resume of it goes.
        """
        return self._ask(
            answers.Checkpoint.of,
            ("sessions", session_id, "checkpoint"),
            version=version,
            schema=schema,
            schema_from=schema_from,
            release=release,
            model=model,
        )

    def list_checkpoints(
        self,
        session_id: str,
        *,
        checkpoint_id: str | None = None,
        starting_after: int | None = None,
        limit: int = 20,
        include_state: bool = False,
        include_merges: bool = False,
    ) -> answers.Page[answers.NamedCheckpoint]:
        """List versions as a checkpointer sees them, newest first.

        `include_merges` takes what others wrote for checkpoints, too.
        """
        return self._ask(
            page_of(answers.NamedCheckpoint.of),
            ("sessions", session_id, "checkpoints"),
            checkpoint_id=checkpoint_id,
            starting_after=starting_after,
            limit=limit,
            include_state=include_state,
            include_merges=include_merges,
        )

    def add_writes(
        self,
        session_id: str,
        *,
        checkpoint_id: str,
        task_id: str,
        task_path: str = "",
        writes: Sequence[Mapping[str, Json]],
        replace: bool = False,
    ) -> None:
        """Keep what a task wrote for the step after a checkpoint; twice is once."""
        self._transport.run(
            Call(
                method="POST",
                path=calls.path("sessions", session_id, "writes"),
                read=answers.anything,
                reads=True,
                body={
                    "checkpoint_id": checkpoint_id,
                    "task_id": task_id,
                    "task_path": task_path,
                    "writes": list(writes),
                    "replace": replace,
                },
            )
        )

    def hide_versions(self, session_id: str, first: int, last: int) -> None:
        """Hide versions from `list_checkpoints`; the history keeps them."""
        self._transport.run(
            Call(
                method="POST",
                path=calls.path("sessions", session_id, "hidden"),
                read=answers.anything,
                reads=True,
                body={"first_version": first, "last_version": last},
            )
        )
