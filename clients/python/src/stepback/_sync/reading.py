# Written by make_sync.py from _async/reading.py: do not edit.
"""What tells about a session. A read that fails raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, overload

from stepback import answers, calls
from stepback._sync.transport import Transport
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.stories import Json

Result = TypeVar("Result")
Order = Literal["asc", "desc"]


class SessionReads:
    """The questions about sessions."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, session_id: str) -> answers.Session:
        """Read a session with the state of its head."""
        return self._ask(answers.Session.of, ("sessions", session_id))

    def list(
        self,
        *,
        agent_id: str | None = None,
        user_id: str | None = None,
        status: str | None = None,
        external_id: str | None = None,
        forked_from: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Session]:
        """List sessions, newest first."""
        return self._ask(
            page_of(answers.Session.of),
            ("sessions",),
            agent_id=agent_id,
            user_id=user_id,
            status=status,
            external_id=external_id,
            forked_from=forked_from,
            metadata=None if metadata is None else dict(metadata),
            created_after=created_after,
            created_before=created_before,
            limit=limit,
            starting_after=starting_after,
        )

    def get_state(self, session_id: str) -> answers.State:
        """Read the state of the head."""
        return self._ask(answers.State.of, ("sessions", session_id, "state"))

    def get_context(
        self,
        session_id: str,
        query: str | None = None,
        memory_limit: int | None = None,
        turn_limit: int | None = None,
        *,
        include_set_aside: bool | None = None,
    ) -> answers.Context:
        """Return the state and recent turns; those set aside only if asked for."""
        return self._transport.run(
            Call(
                method="POST",
                path=calls.path("sessions", session_id, "context"),
                read=answers.Context.of,
                reads=True,
                body=given(
                    query=query,
                    memory_limit=memory_limit,
                    turn_limit=turn_limit,
                    include_set_aside=include_set_aside,
                ),
            )
        )

    def history(
        self,
        session_id: str,
        *,
        limit: int = 50,
        starting_after: int | None = None,
        include_state: bool = True,
        include_traces: bool = True,
    ) -> answers.History:
        """Return the newest versions, with turns and traces beside them."""
        return self._ask(
            answers.History.of,
            ("sessions", session_id, "history"),
            limit=limit,
            starting_after=starting_after,
            include_state=include_state,
            include_traces=include_traces,
        )

    def list_versions(
        self,
        session_id: str,
        *,
        limit: int = 20,
        order: Order = "desc",
        starting_after: int | None = None,
        include_state: bool = False,
    ) -> answers.Page[answers.Version]:
        """List versions, newest first unless asked otherwise."""
        return self._ask(
            page_of(answers.Version.of),
            ("sessions", session_id, "versions"),
            limit=limit,
            order=order,
            starting_after=starting_after,
            include_state=include_state,
        )

    def get_version(self, session_id: str, version: int) -> answers.Version:
        """Read one version with its state; -1 is the one before the head."""
        return self._ask(
            answers.Version.of, ("sessions", session_id, "versions", version)
        )

    def checkpoint(
        self, session_id: str, version: int | None = None
    ) -> answers.Checkpoint:
        """Read everything to resume from, of the head or of any version."""
        return self._ask(
            answers.Checkpoint.of,
            ("sessions", session_id, "checkpoint"),
            version=version,
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

    @overload
    def diff(
        self,
        session_id: str,
        from_version: int,
        to_version: int | None = ...,
        *,
        other: str | None = ...,
        format: Literal["list"] = ...,
    ) -> answers.Changes: ...

    @overload
    def diff(
        self,
        session_id: str,
        from_version: int,
        to_version: int | None = ...,
        *,
        other: str | None = ...,
        format: Literal["patch"],
    ) -> answers.Patch: ...

    def diff(
        self,
        session_id: str,
        from_version: int,
        to_version: int | None = None,
        *,
        other: str | None = None,
        format: Literal["list", "patch"] = "list",
    ) -> answers.Changes | answers.Patch:
        """Compare two versions, in either direction; `to_version` is the head if unset.

        With `other`, `to_version` is a version of that session.
        """
        read: Any = answers.Patch.of if format == "patch" else answers.Changes.of
        found: answers.Changes | answers.Patch = self._transport.run(
            Call(
                method="GET",
                path=calls.path("sessions", session_id, "changes"),
                read=read,
                query={
                    "from": from_version,
                    "to": to_version,
                    "other": other,
                    "format": format,
                },
            )
        )
        return found

    def divergence(
        self, session_id: str, other: str | None = None
    ) -> answers.Divergence:
        """Tell the last version that two sessions share."""
        return self._ask(
            answers.Divergence.of, ("sessions", session_id, "divergence"), other=other
        )

    def blame(
        self,
        session_id: str,
        pointer: str,
        *,
        version: int | None = None,
        limit: int | None = None,
        starting_after: str | None = None,
    ) -> answers.Blame:
        """Tell who set the value at a JSON pointer, from what to what, and why."""
        return self._ask(
            answers.Blame.of,
            ("sessions", session_id, "blame"),
            pointer=pointer,
            version=version,
            limit=limit,
            starting_after=starting_after,
        )

    def preview_rollback(
        self, session_id: str, version: int
    ) -> answers.RollbackPreview:
        """Tell what a rollback would do, and what it cannot undo."""
        return self._ask(
            answers.RollbackPreview.of,
            ("sessions", session_id, "rollback", "preview"),
            version=version,
        )

    def verify(
        self, session_id: str, *, after: int | None = None, limit: int | None = None
    ) -> answers.Verification:
        """Have the proof of the history recomputed from what is stored."""
        return self._ask(
            answers.Verification.of,
            ("sessions", session_id, "verify"),
            after=after,
            limit=limit,
        )

    def list_turns(
        self,
        session_id: str,
        *,
        limit: int = 20,
        order: Order = "desc",
        starting_after: str | None = None,
    ) -> answers.Page[answers.Turn]:
        """List turns, newest first unless asked otherwise."""
        return self._ask(
            page_of(answers.Turn.of),
            ("sessions", session_id, "turns"),
            limit=limit,
            order=order,
            starting_after=starting_after,
        )

    def get_turn(self, session_id: str, turn_id: str) -> answers.Turn:
        """Read one turn whole."""
        return self._ask(answers.Turn.of, ("sessions", session_id, "turns", turn_id))

    def list_notes(
        self, session_id: str, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.Note]:
        """List what people wrote down about the session."""
        return self._ask(
            page_of(answers.Note.of),
            ("sessions", session_id, "notes"),
            limit=limit,
            starting_after=starting_after,
        )

    def _ask(
        self,
        read: Callable[[Any], Result],
        segments: tuple[str | int, ...],
        **query: Any,
    ) -> Result:
        return self._transport.run(
            Call(method="GET", path=calls.path(*segments), read=read, query=query)
        )
