"""What an agent does outside: begun before it is done, and finished once."""

from __future__ import annotations

from collections.abc import Mapping

from stepback import answers
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Json


class AsyncSessionEffects(AsyncResource):
    """Effects of a session."""

    async def begin_effect(
        self,
        session_id: str,
        key: str,
        tool: str,
        arguments: Mapping[str, Json] | None = None,
        *,
        effect_class: str | None = None,
        call_id: str | None = None,
        undo: Mapping[str, Json] | None = None,
        undo_until: str | None = None,
        takes_provider_key: bool | None = None,
        number: int | None = None,
        deadline: str | None = None,
        cache: Mapping[str, Json] | None = None,
        idempotency_key: str | None = None,
    ) -> answers.EffectBegin:
        """Ask whether a call is to be made; make it only where `run` is true.

        `key` is the same for the same act, also when a process is started again; give
        no `idempotency_key` that a later process would give as well, since it is
        answered as the first was. `effect_class` is read, reversible, compensable or
        irreversible, which counts if it is unset. `number` is the version it was
        decided on. With `cache` (`{"ttl": 3600, "scope": "session"}`) a result that the
        record has answers a read: then `source` says which.

        Raises: EffectInProgress, EffectUnknown, EffectDiffers, VersionSetAside.
        """
        body = given(
            key=key,
            tool=tool,
            arguments=arguments,
            call_id=call_id,
            undo=undo,
            undo_until=undo_until,
            takes_provider_key=takes_provider_key,
            number=number,
            deadline=deadline,
            cache=cache,
            **{"class": effect_class},
        )
        return await self._send(
            "POST",
            ("sessions", session_id, "effects"),
            body,
            answers.EffectBegin.of,
            idempotency_key,
        )

    async def finish_effect(
        self,
        session_id: str,
        effect_id: str,
        attempt: int,
        status: str = "done",
        *,
        result: Json = None,
        result_reference: str | None = None,
        result_digest: str | None = None,
        external_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Effect:
        """Say what came of an attempt: done; failed: nothing happened; or unknown.

        A result of more than 256 KiB is named by its place and digest.

        Raises: EffectAttempt, EffectFinished.
        """
        return await self._send(
            "POST",
            ("sessions", session_id, "effects", effect_id, "finish"),
            given(
                attempt=attempt,
                status=status,
                result=result,
                result_reference=result_reference,
                result_digest=result_digest,
                external_id=external_id,
            ),
            answers.Effect.of,
            idempotency_key,
        )

    async def effects(
        self,
        session_id: str,
        *,
        status: str | None = None,
        effect_class: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Effect]:
        """List what the agent did outside, newest first."""
        return await self._ask(
            page_of(answers.Effect.of),
            ("sessions", session_id, "effects"),
            status=status,
            limit=limit,
            starting_after=starting_after,
            **{"class": effect_class},
        )

    async def results(
        self,
        session_id: str,
        *,
        tool: str | None = None,
        ttl: int | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Result]:
        """List the session's results that may answer its reads, newest first.

        `tool` and `ttl` leave out those of other tools, and older ones in seconds.
        """
        return await self._ask(
            page_of(answers.Result.of),
            ("sessions", session_id, "results"),
            tool=tool,
            ttl=ttl,
            limit=limit,
            starting_after=starting_after,
        )

    async def forget_results(
        self,
        session_id: str,
        reason: str,
        *,
        tool: str | None = None,
        arguments: Mapping[str, Json] | None = None,
        key: str | None = None,
        everything: bool | None = None,
        idempotency_key: str | None = None,
    ) -> answers.ResultsForgotten:
        """Have reads run again: of a `tool`, of one call, of a `key`, or everything."""
        return await self._send(
            "POST",
            ("sessions", session_id, "results", "forget"),
            given(
                reason=reason,
                tool=tool,
                arguments=arguments,
                key=key,
                **{"all": everything},
            ),
            answers.ResultsForgotten.of,
            idempotency_key,
        )

    async def compensations(
        self,
        session_id: str,
        *,
        status: str | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Compensation]:
        """List effects that rollbacks have crossed, the oldest first."""
        return await self._ask(
            page_of(answers.Compensation.of),
            ("sessions", session_id, "compensations"),
            status=status,
            limit=limit,
            starting_after=starting_after,
        )

    async def change_compensation(
        self,
        session_id: str,
        effect_id: str,
        status: str,
        reason: str | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> answers.Compensation:
        """Say what became of it: requested, done, failed, or waived with a reason.

        Raises: CompensationClosed.
        """
        return await self._send(
            "POST",
            ("sessions", session_id, "effects", effect_id, "compensation"),
            given(status=status, reason=reason),
            answers.Compensation.of,
            idempotency_key,
        )

    async def effect(self, session_id: str, effect_id: str) -> answers.Effect:
        """Read what one effect has come to."""
        return await self._ask(
            answers.Effect.of, ("sessions", session_id, "effects", effect_id)
        )
