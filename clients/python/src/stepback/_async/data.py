"""An agent's data: values under keys, each write checked against its policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.keys import segment
from stepback.stories import Json, Repeatable, Valued


class AsyncData(AsyncResource):
    """Values of agents, which are named by our id or by your name for them."""

    async def write(
        self,
        agent_id: str,
        key: str,
        value: str,
        metadata: Mapping[str, Json] | None = None,
        *,
        reasoning: str | None = None,
        expected_version: int | None = None,
        override_reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.DataWrite:
        """Write a value. One that a policy blocks is no error: see `allowed`.

        `expected_version` is the key's version that you saw, 0 if it was absent:
        another one raises `Conflict`. With an `override_reason` an administrator's key
        has it stored whatever policies say.
        """
        body = given(
            key=key,
            value=value,
            metadata=metadata,
            reasoning=reasoning,
            expected_version=expected_version,
            override_reason=override_reason,
        )
        segments, read = ("agents", agent_id, "data"), answers.DataWrite.of
        return await self._send("POST", segments, body, read, idempotency_key)

    async def write_batch(
        self,
        agent_id: str,
        entries: Sequence[Valued] | Mapping[str, str],
        *,
        reasoning: str | None = None,
        override_reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.DataBatch:
        """Write up to 100 values in their order: of those allowed all, or none.

        They are objects with `key`, `value` and what else `write` takes, or values by
        their keys.
        """
        if isinstance(entries, Mapping):
            entries = [{"key": key, "value": entries[key]} for key in entries]
        body = given(
            entries=list(entries), reasoning=reasoning, override_reason=override_reason
        )
        segments, read = ("agents", agent_id, "data", "batch"), answers.DataBatch.of
        return await self._send("POST", segments, body, read, idempotency_key)

    async def read(
        self, agent_id: str, key: str, *, at: int | None = None
    ) -> answers.DataValue:
        """Read a value, now or as it was at the data's version `at`.

        Raises: KeyNotFound; ValueError for a key that no data can have.
        """
        return await self._ask(
            answers.DataValue.of, ("agents", agent_id, "data", segment(key)), at=at
        )

    async def versions(
        self,
        agent_id: str,
        key: str,
        *,
        limit: int = 20,
        cursor: str | None = None,
    ) -> answers.Page[answers.DataVersion]:
        """List what was done to a key, newest first, with what it left."""
        return await self._ask(
            page_of(answers.DataVersion.of),
            ("agents", agent_id, "data", segment(key), "versions"),
            limit=limit,
            cursor=cursor,
        )

    async def list(
        self,
        agent_id: str,
        prefix: str | None = None,
        *,
        full: bool = False,
        at: int | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> answers.Page[answers.DataKey]:
        """List keys in their order; with their values if `full`."""
        return await self._ask(
            page_of(answers.DataKey.of),
            ("agents", agent_id, "data"),
            prefix=prefix,
            full=full,
            at=at,
            limit=limit,
            cursor=cursor,
        )

    async def search(
        self,
        agent_id: str,
        query: str,
        *,
        prefix: str | None = None,
        limit: int | None = None,
        min_similarity: float | None = None,
        method: str | None = None,
    ) -> answers.DataMatches:
        """Find the values that are nearest to a query, by meaning where that can be.

        `method="words"` searches by words alone.
        """
        body = given(
            query=query,
            prefix=prefix,
            limit=limit,
            min_similarity=min_similarity,
            method=method,
        )
        return await self._transport.run(
            Call(
                method="POST",
                path=calls.path("agents", agent_id, "data", "search"),
                read=answers.DataMatches.of,
                reads=True,
                body=body,
            )
        )

    async def delete(
        self, agent_id: str, key: str, **once: Unpack[Repeatable]
    ) -> answers.DataRemoval:
        """Delete a key from now on; its history stays.

        Raises: ValueError for a key that no data can have.
        """
        segments = ("agents", agent_id, "data", segment(key))
        return await self._removed(segments, once)

    async def delete_prefix(
        self, agent_id: str, prefix: str, **once: Unpack[Repeatable]
    ) -> answers.DataRemoval:
        """Delete all keys that begin so; a prefix has at least one character."""
        return await self._removed(("agents", agent_id, "data"), once, prefix=prefix)

    async def _removed(
        self, segments: tuple[str, ...], once: Repeatable, **query: Any
    ) -> answers.DataRemoval:
        return await self._transport.run(
            Call(
                method="DELETE",
                path=calls.path(*segments),
                read=answers.DataRemoval.of,
                query=query,
                idempotency_key=calls.key_in(once),
            )
        )
