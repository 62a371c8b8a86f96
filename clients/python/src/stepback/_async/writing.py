"""What changes a session. Every write is done once, however often it is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, Unpack

from stepback import answers, calls
from stepback._async.transport import AsyncTransport
from stepback.calls import Call, given
from stepback.stories import Checkpointed, Item, Json, Repeatable, Story, Written

Result = TypeVar("Result")


class AsyncSessionWrites:
    """The verbs of sessions."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        agent_id: str,
        initial_state: Mapping[str, Json] | None = None,
        *,
        reasoning: str | None = None,
        user_id: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        ttl_seconds: int | None = None,
        idempotency_key: str | None = None,
        **story: Unpack[Checkpointed],
    ) -> answers.Session:
        """Begin a session with version 0. `external_id` is your name for it.

        Raises: ExternalIdTaken with the session that has the name.
        """
        body = given(
            agent_id=agent_id,
            initial_state=initial_state,
            reasoning=reasoning,
            user_id=user_id,
            external_id=external_id,
            metadata=metadata,
            ttl_seconds=ttl_seconds,
            **story,
        )
        return await self._post(
            ("sessions",), body, answers.Session.of, idempotency_key
        )

    async def update(
        self,
        session_id: str,
        *,
        metadata: Mapping[str, Json] | None = None,
        ttl_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> answers.SessionMetadata:
        """Merge metadata (None removes a key), set the time to live (0: for ever)."""
        return await self._transport.run(
            Call(
                method="PATCH",
                path=calls.path("sessions", session_id),
                read=answers.SessionMetadata.of,
                body=given(metadata=metadata, ttl_seconds=ttl_seconds),
                idempotency_key=idempotency_key,
            )
        )

    async def delete(self, session_id: str, **once: Unpack[Repeatable]) -> None:
        """Delete it for agents; its versions stay as evidence."""
        await self._transport.run(
            Call(
                method="DELETE",
                path=calls.path("sessions", session_id),
                read=answers.anything,
                idempotency_key=once.get("idempotency_key"),
            )
        )

    async def update_state(
        self,
        session_id: str,
        state: Mapping[str, Json] | None = None,
        reasoning: str | None = None,
        *,
        remove: Sequence[str] | None = None,
        **written: Unpack[Written],
    ) -> answers.State:
        """Merge top-level keys, then remove pointers, as a new version.

        None is stored as null. Raises: Conflict if `expected_version` is not the head.
        """
        body = given(state=state, remove=remove, reasoning=reasoning, **written)
        return await self._send("PATCH", session_id, "state", body, answers.State.of)

    async def replace_state(
        self,
        session_id: str,
        state: Mapping[str, Json],
        reasoning: str | None = None,
        **written: Unpack[Written],
    ) -> answers.State:
        """Set the state as a whole, as a new version.

        Raises: Conflict if `expected_version` is not the head.
        """
        body = given(state=state, reasoning=reasoning, **written)
        return await self._send("PUT", session_id, "state", body, answers.State.of)

    async def append_batch(
        self,
        session_id: str,
        versions: Sequence[Item],
        *,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Batch:
        """Append up to 100 versions, all or none."""
        body = given(
            versions=[given(**one) for one in versions],
            expected_version=expected_version,
        )
        return await self._post(
            ("sessions", session_id, "versions"),
            body,
            answers.Batch.of,
            idempotency_key,
        )

    async def rollback(
        self,
        session_id: str,
        version: int,
        reason: str | None = None,
        *,
        reason_code: str | None = None,
        hold: bool | None = None,
        external_id: str | None = None,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
        **story: Unpack[Story],
    ) -> answers.Rollback:
        """Append a version with the state of an earlier one; -1: the one before.

        `hold` pauses the session in the same version. What it would do is told by
        `preview_rollback`, whose `head` is the `expected_version` to give here.
        """
        body = given(
            version=version,
            reason=reason,
            reason_code=reason_code,
            hold=hold,
            external_id=external_id,
            expected_version=expected_version,
            **story,
        )
        return await self._post(
            ("sessions", session_id, "rollback"),
            body,
            answers.Rollback.of,
            idempotency_key,
        )

    async def fork(
        self,
        session_id: str,
        version: int | None = None,
        *,
        reason: str | None = None,
        agent_id: str | None = None,
        state: Mapping[str, Json] | None = None,
        user_id: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        ttl_seconds: int | None = None,
        idempotency_key: str | None = None,
        **story: Unpack[Checkpointed],
    ) -> answers.Session:
        """Begin a new session from any version, the head if unset.

        `state` is merged into its version 0. The session forked from stays as it is.
        """
        body = given(
            version=version,
            reason=reason,
            agent_id=agent_id,
            state=state,
            user_id=user_id,
            external_id=external_id,
            metadata=metadata,
            ttl_seconds=ttl_seconds,
            **story,
        )
        return await self._post(
            ("sessions", session_id, "fork"), body, answers.Session.of, idempotency_key
        )

    async def pause(
        self, session_id: str, reason: str | None = None, **once: Unpack[Repeatable]
    ) -> answers.State:
        """Refuse agents' writes (`SessionPaused`) until the session is resumed."""
        return await self._hold(session_id, "pause", reason, once)

    async def resume(
        self, session_id: str, reason: str | None = None, **once: Unpack[Repeatable]
    ) -> answers.State:
        """Let agents write again."""
        return await self._hold(session_id, "resume", reason, once)

    async def close(
        self, session_id: str, reason: str | None = None, **once: Unpack[Repeatable]
    ) -> answers.State:
        """End the session for good; it can still be read and forked."""
        return await self._hold(session_id, "close", reason, once)

    async def add_turn(
        self,
        session_id: str,
        input: str | Mapping[str, Json],
        output: str | Mapping[str, Json],
        metadata: Mapping[str, Json] | None = None,
        reasoning: str | None = None,
        *,
        state_before: Mapping[str, Json] | None = None,
        state_after: Mapping[str, Json] | None = None,
        **written: Unpack[Written],
    ) -> answers.Turn:
        """Record an exchange. It makes a version only if `state_after` is another."""
        body = given(
            input=input,
            output=output,
            metadata=metadata,
            reasoning=reasoning,
            state_before=state_before,
            state_after=state_after,
            **written,
        )
        return await self._send("POST", session_id, "turns", body, answers.Turn.of)

    async def add_tool_call(
        self,
        session_id: str,
        tool_name: str,
        arguments: Mapping[str, Json],
        output: Json,
        *,
        call_id: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        reasoning: str | None = None,
        state_after: Mapping[str, Json] | None = None,
        **written: Unpack[Written],
    ) -> answers.Turn:
        """Record a tool call that has happened; a rollback will warn of it."""
        called = given(name=tool_name, arguments=dict(arguments), id=call_id)
        return await self.add_turn(
            session_id,
            {
                "type": "tool_call",
                "content": f"Call tool {tool_name}",
                "tool_metadata": called,
            },
            {"type": "tool_response", "content": str(output), "output": output},
            metadata,
            reasoning,
            state_after=state_after,
            **written,
        )

    async def add_note(
        self,
        session_id: str,
        text: str,
        *,
        version: int | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Note:
        """Write something down about the session, or about one version of it."""
        return await self._post(
            ("sessions", session_id, "notes"),
            given(text=text, version=version),
            answers.Note.of,
            idempotency_key,
        )

    async def hand_off(
        self,
        session_id: str,
        version: int | None = None,
        *,
        to_agent: str | None = None,
        idempotency_key: str | None = None,
    ) -> Mapping[str, Json]:
        """Return a descriptor of a version, signed by the server, to be adopted."""
        return await self._post(
            ("sessions", session_id, "handoffs"),
            given(version=version, to_agent=to_agent),
            answers.described,
            idempotency_key,
        )

    async def adopt(
        self,
        handoff: Mapping[str, Json],
        *,
        agent_id: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Session:
        """Begin a session from what was handed off.

        Raises: HandoffNotVerified for a descriptor that the server did not sign.
        """
        body = given(
            handoff=handoff,
            agent_id=agent_id,
            external_id=external_id,
            metadata=metadata,
            reason=reason,
        )
        return await self._post(
            ("handoffs", "adopt"), body, answers.Session.of, idempotency_key
        )

    async def add_writes(
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
        await self._transport.run(
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

    async def hide_versions(self, session_id: str, first: int, last: int) -> None:
        """Hide versions from `list_checkpoints`; the history keeps them."""
        await self._transport.run(
            Call(
                method="POST",
                path=calls.path("sessions", session_id, "hidden"),
                read=answers.anything,
                reads=True,
                body={"first_version": first, "last_version": last},
            )
        )

    async def _hold(
        self, session_id: str, verb: str, reason: str | None, once: Repeatable
    ) -> answers.State:
        return await self._post(
            ("sessions", session_id, verb),
            given(reason=reason),
            answers.State.of,
            once.get("idempotency_key"),
        )

    async def _send(
        self,
        method: str,
        session_id: str,
        what: str,
        body: dict[str, Any],
        read: Callable[[Any], Result],
    ) -> Result:
        """Send a write whose body has the key among its fields."""
        key = body.pop("idempotency_key", None)
        return await self._transport.run(
            Call(
                method=method,
                path=calls.path("sessions", session_id, what),
                read=read,
                body=body,
                idempotency_key=key,
            )
        )

    async def _post(
        self,
        segments: tuple[str, ...],
        body: dict[str, Any],
        read: Callable[[Any], Result],
        key: str | None,
    ) -> Result:
        return await self._transport.run(
            Call(
                method="POST",
                path=calls.path(*segments),
                read=read,
                body=body,
                idempotency_key=key,
            )
        )
