"""The state of a session: read, written, rolled back. A read that fails raises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from stepback import answers
from stepback._async.resource import AsyncResource
from stepback.calls import given
from stepback.stories import (
    Item,
    Json,
    OnConflict,
    Story,
    Written,
)


class AsyncSessionStates(AsyncResource):
    """Every write is done once, however often it is sent."""

    async def get_state(
        self, session_id: str, *, schema: str | None = None, before: str | None = None
    ) -> answers.ShownState:
        """Read the state of the head; with `schema`, as that one has it.

        It is migrated for the answer alone. `before` is what a state is taken to be of
        that names no schema.
        """
        segments = ("sessions", session_id, "state")
        return await self._ask(
            answers.ShownState.of, segments, schema=schema, schema_from=before
        )

    async def update_state(
        self,
        session_id: str,
        state: Mapping[str, Json] | None = None,
        reasoning: str | None = None,
        *,
        remove: Sequence[str] | None = None,
        operations: Sequence[Mapping[str, Json]] | None = None,
        on_conflict: OnConflict | None = None,
        **written: Unpack[Written],
    ) -> answers.StateWrite:
        """Merge top-level keys, then remove pointers, as a new version.

        None is stored as null. `operations` is a JSON Patch (RFC 6902) in place of
        both: all of it is made, or nothing. With `on_conflict="fork"` a write whose
        `expected_version` is the head no more becomes a fork: the answer's
        `session_id` is the fork's then, and `forked_from` this session.

        Raises: Conflict if `expected_version` is not the head; PatchFailed.
        """
        body = given(
            state=state,
            remove=remove,
            operations=operations,
            reasoning=reasoning,
            **written,
        )
        return await self._send(
            "PATCH",
            ("sessions", session_id, "state"),
            body,
            answers.StateWrite.of,
            query=given(on_conflict=on_conflict),
        )

    async def replace_state(
        self,
        session_id: str,
        state: Mapping[str, Json],
        reasoning: str | None = None,
        *,
        on_conflict: OnConflict | None = None,
        **written: Unpack[Written],
    ) -> answers.StateWrite:
        """Set the state as a whole, as a new version; `on_conflict` as above.

        Raises: Conflict if `expected_version` is not the head.
        """
        body = given(state=state, reasoning=reasoning, **written)
        return await self._send(
            "PUT",
            ("sessions", session_id, "state"),
            body,
            answers.StateWrite.of,
            query=given(on_conflict=on_conflict),
        )

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
        return await self._send(
            "POST",
            ("sessions", session_id, "versions"),
            body,
            answers.Batch.of,
            idempotency_key,
        )

    async def preview_rollback(
        self,
        session_id: str,
        version: int,
        *,
        release: str | None = None,
        model: str | None = None,
    ) -> answers.RollbackPreview:
        """Tell what a rollback would do, and what it cannot undo.

        Its `moves` say onto which other release, model or schema the state would go;
        `release` and `model` are those that are to go on with it.
        """
        return await self._ask(
            answers.RollbackPreview.of,
            ("sessions", session_id, "rollback", "preview"),
            version=version,
            release=release,
            model=model,
        )

    async def rollback(
        self,
        session_id: str,
        version: int,
        reason: str | None = None,
        *,
        reason_code: str | None = None,
        hold: bool | None = None,
        on_effects: str | None = None,
        migrate_to: str | None = None,
        external_id: str | None = None,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
        **story: Unpack[Story],
    ) -> answers.Rollback:
        """Append a version with the state of an earlier one; -1: the one before.

        `hold` pauses the session in the same version. What it would do is told by
        `preview_rollback`, whose `head` is the `expected_version` to give here. With
        `on_effects="refuse"` it goes behind no effect: EffectsCrossed. `migrate_to`
        migrates the restored state to that schema in the same batch.
        """
        body = given(
            version=version,
            reason=reason,
            reason_code=reason_code,
            hold=hold,
            on_effects=on_effects,
            migrate_to=migrate_to,
            external_id=external_id,
            expected_version=expected_version,
            **story,
        )
        return await self._send(
            "POST",
            ("sessions", session_id, "rollback"),
            body,
            answers.Rollback.of,
            idempotency_key,
        )

    async def undo(
        self,
        session_id: str,
        version: int | None = None,
        reason: str | None = None,
        *,
        external_id: str | None = None,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
        **story: Unpack[Story],
    ) -> answers.Rollback:
        """Take a rollback back: the one with this number, else the head.

        It shows the state from before it and counts as no rollback of its own.
        """
        body = given(
            version=version,
            reason=reason,
            external_id=external_id,
            expected_version=expected_version,
            **story,
        )
        return await self._send(
            "POST",
            ("sessions", session_id, "undo"),
            body,
            answers.Rollback.of,
            idempotency_key,
        )
