# Written by make_sync.py from _async/safe_operations.py: do not edit.
"""A safe operation: a checkpoint first, a check afterwards, and back if that fails."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Self

from stepback import answers
from stepback._sync.agent_checkpoints import AgentCheckpoints
from stepback.checking import Check, passes, restorable
from stepback.failures import RestoreFailed, StepbackError, VerificationFailed
from stepback.stories import Restorable

log = logging.getLogger("stepback")


class SafeOperation:
    """What is done to an agent's config and data between a checkpoint and a check.

    `checkpoint` is there from the beginning of the block on, `restored` where the
    agent was restored to it.
    """

    checkpoint: answers.NewAgentCheckpoint
    restored: answers.CheckpointRestore | None = None

    def __init__(
        self,
        checkpoints: AgentCheckpoints,
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

    def __enter__(self) -> Self:
        self.checkpoint = self._checkpoints.create(
            self._agent, self._label, self._description
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Check what was done; restore where that, or the block, has failed.

        Raises: VerificationFailed, or what the check raises; RestoreFailed.
        """
        if error is not None:
            self._undo(error)
        elif self._verify is not None and not self._passes(self._verify):
            why = f"What followed the checkpoint {self._label!r} did not pass its check"
            restored = self._restore("its check did not pass")
            raise VerificationFailed(
                f"{why}. {self._told(restored)}",
                checkpoint=self.checkpoint,
                restored=restored,
            )

    def _passes(self, verify: Check) -> bool:
        try:
            return passes(verify, self._agent)
        except BaseException as error:
            self._undo(error)
            raise

    def _undo(self, error: BaseException) -> None:
        """Restore because of an error, which goes on and says so."""
        # Its type alone: what it says may hold a value.
        restored = self._restore(type(error).__name__)
        error.add_note(self._told(restored))

    def _restore(self, why: str) -> answers.CheckpointRestore:
        """Raises: RestoreFailed."""
        try:
            restored = self._checkpoints.restore(
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
