"""Effects of threads: begun on a stored checkpoint, and with what people allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stepback._async.thread_approvals import AsyncThreadApprovals
from stepback.answers import Effect, EffectBegin
from stepback.errors import ApiError, EffectDiffers, UnacceptableArguments
from stepback.langgraph.acting.acts import Wanted

PAGE = 100


class AsyncThreadEffects(AsyncThreadApprovals):
    """Begins and finishes effects in the session of the thread itself."""

    async def begin(self, wanted: Wanted) -> tuple[EffectBegin, Mapping[str, Any]]:
        """Ask whether a call is to be made, and with which arguments.

        Raises: CheckpointNotStored; what `begin_effect` raises.
        """
        place = wanted.place
        number = None
        for namespace, checkpoint_id in place.checkpoints.items():
            seen = await self.stored((place.thread_id, namespace), checkpoint_id)
            number = seen if namespace == "" else number
        session_id = await self._made((place.thread_id, ""))
        try:
            begun = await self._begun(session_id, wanted, wanted.arguments, number)
        except (UnacceptableArguments, EffectDiffers) as refused:
            # Its key is of these arguments: people have allowed others.
            allowed = await self._allowed(session_id, wanted, refused)
            begun = await self._begun(session_id, wanted, allowed, number)
            return begun, allowed
        return begun, wanted.arguments

    async def finish(
        self, wanted: Wanted, begun: EffectBegin, status: str, **about: Any
    ) -> None:
        """Say what came of a call that was made.

        Raises: what `finish_effect` raises.
        """
        session_id = await self._made((wanted.place.thread_id, ""))
        id, attempt = str(begun.id), int(begun.attempt or 0)
        await self.client.sessions.finish_effect(
            session_id, id, attempt, status, **about
        )

    async def _begun(
        self,
        session_id: str,
        wanted: Wanted,
        arguments: Mapping[str, Any],
        number: int | None,
    ) -> EffectBegin:
        return await self.client.sessions.begin_effect(
            session_id,
            wanted.key,
            wanted.tool,
            arguments,
            number=number,
            **wanted.about,
        )

    async def _allowed(
        self, session_id: str, wanted: Wanted, refused: ApiError
    ) -> Mapping[str, Any]:
        """Return the arguments that people allowed of what is not begun, or is.

        Raises: the refusal, where that is not why.
        """
        if isinstance(refused, EffectDiffers):
            known = await self._effect_of(session_id, wanted.key)
            said = wanted.about.get("effect_class")
            if known is None or known.arguments is None:
                raise refused
            if known.class_declared and known.effect_class != said:
                raise refused
            return known.arguments
        # Asked again under its key, it is the one that was decided.
        asked = await self.client.approvals.request_approval(
            session_id,
            wanted.tool,
            wanted.arguments,
            effect_class=wanted.about.get("effect_class"),
            key=wanted.key,
        )
        allowed: Mapping[str, Any] | None = (asked.outcome or {}).get("arguments")
        if allowed is None:
            raise refused
        return allowed

    async def _effect_of(self, session_id: str, key: str) -> Effect | None:
        after = None
        while True:
            page = await self.client.sessions.effects(
                session_id, limit=PAGE, starting_after=after
            )
            for one in page.data:
                if one.key == key:
                    return one
            if not page.has_more:
                return None
            after = page.last_id
