"""What every failure of a call has in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stepback.answers import AgentCheckpoint, CheckpointRestore


class StepbackError(Exception):
    """Whatever goes wrong here.

    Of a write that failed, `idempotency_key` is what it was sent with: with the same it
    can be asked again, and is then done once, also where the first try had done it.
    """

    idempotency_key: str | None = None


class ConnectionFailed(StepbackError):
    """No answer came, also not to the repetitions: the outcome is unknown."""

    def __init__(self, message: str, *, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class UnexpectedAnswer(StepbackError):
    """The server's answer is not what its contract says."""


class CheckpointNotStored(StepbackError):
    """The checkpoint that something rests on is not in Stepback."""


class VerificationFailed(StepbackError):
    """A safe operation did not pass its check, and was undone: see `restored`."""

    def __init__(
        self,
        message: str,
        *,
        checkpoint: AgentCheckpoint,
        restored: CheckpointRestore,
    ) -> None:
        super().__init__(message)
        self.checkpoint = checkpoint
        self.restored = restored


class RestoreFailed(StepbackError):
    """A safe operation failed, and could not be undone: what it wrote may stand.

    `__cause__` is why, and its `__context__` what failed before. To try again, restore
    `checkpoint`.
    """

    def __init__(self, message: str, *, checkpoint: AgentCheckpoint) -> None:
        super().__init__(message)
        self.checkpoint = checkpoint


class ApiError(StepbackError):
    """The server refused. Decide by the class, or by `code`.

    `details` are the facts that the server told beside the message.
    """

    code: str = ""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str | None = None,
        param: str | None = None,
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code or type(self).code
        self.param = param
        self.request_id = request_id
        self.details: Mapping[str, Any] = details or {}
