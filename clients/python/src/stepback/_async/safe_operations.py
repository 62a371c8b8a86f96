"""A safe operation: a checkpoint first, a check afterwards, and back if that fails."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Self

from stepback import answers
from stepback._async.agent_checkpoints import AsyncAgentCheckpoints
from stepback.checking import Check, passes_async, restorable
from stepback.failures import RestoreFailed, StepbackError, VerificationFailed
from stepback.stories import Restorable

log = logging.getLogger("stepback")


class AsyncSafeOperation:
    """What is done to an agent's config and data between a checkpoint and a check.

    `checkpoint` is there from the beginning of the block on, `restored` where the
    agent was restored to it.
    """

    checkpoint: answers.NewAgentCheckpoint
    restored: answers.CheckpointRestore | None = None

    def __init__(
        self,
        checkpoints: AsyncAgentCheckpoints,
        agent: str,
        label: str,
        *,
        description: str | None,
        verify: Check | None,
        parts: Restorable,
    ) -> None:
        self._checkpoints = checkpoints
        self._agent = agent
        self._label = label
        self._description = description
        self._verify = verify
        self._parts = restorable(parts)

    async def __aenter__(self) -> Self:
        self.checkpoint = await self._checkpoints.create(
            self._agent, self._label, self._description
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Check what was done; restore where that, or the block, has failed.

        Raises: VerificationFailed, or what the check raises; RestoreFailed.
        """
        if error is not None:
            await self._undo(error)
        elif self._verify is not None and not await self._passes(self._verify):
            why = f"What followed the checkpoint {self._label!r} did not pass its check"
            restored = await self._restore("its check did not pass")
            raise VerificationFailed(
                f"{why}. {self._told(restored)}",
                checkpoint=self.checkpoint,
                restored=restored,
            )

    async def _passes(self, verify: Check) -> bool:
        try:
            return await passes_async(verify, self._agent)
        except BaseException as error:
            await self._undo(error)
            raise

    async def _undo(self, error: BaseException) -> None:
        """Restore because of an error, which goes on and says so."""
        # Its type alone: what it says may hold a value.
        restored = await self._restore(type(error).__name__)
        error.add_note(self._told(restored))

    async def _restore(self, why: str) -> answers.CheckpointRestore:
        """Raises: RestoreFailed."""
        try:
            restored = await self._checkpoints.restore(
                self._agent,
                self.checkpoint.id,
                reasoning=f"Undone to the checkpoint {self._label!r}: {why}",
                **self._parts,
            )
        except StepbackError as refused:
            raise self._failed(f"{type(refused).__name__}: {refused}") from refused
        self.restored = restored
        if restored.verified is False:
            raise self._failed("what stands now is not what the checkpoint had")
        log.warning("%s", self._told(restored))
        return restored

    def _failed(self, why: str) -> RestoreFailed:
        message = (
            f"Stepback could not restore {self._agent} to the checkpoint "
            f"{self._label!r} ({self.checkpoint.id}): {why}"
        )
        log.error("%s", message)
        return RestoreFailed(message, checkpoint=self.checkpoint)

    def _told(self, restored: answers.CheckpointRestore) -> str:
        config = "config set back, " if restored.config_changed else ""
        why = f"not verified: {restored.verified_why}"
        return (
            f"Stepback restored {self._agent} to the checkpoint {self._label!r} "
            f"({self.checkpoint.id}): {config}{restored.data_keys_changed} of its keys "
            f"set back, {restored.data_keys_removed} newer ones removed; "
            f"{'verified' if restored.verified else why}"
        )
