"""Client of Stepback: keep every state an agent ever had, and step back to any."""

from stepback._async.client import AsyncStepback
from stepback._sync.client import Stepback
from stepback.errors import (
    ApiError,
    Conflict,
    ConnectionFailed,
    NotFound,
    RestoreFailed,
    StepbackError,
    UnexpectedAnswer,
    VerificationFailed,
)

__all__ = [
    "ApiError",
    "AsyncStepback",
    "Conflict",
    "ConnectionFailed",
    "NotFound",
    "RestoreFailed",
    "Stepback",
    "StepbackError",
    "UnexpectedAnswer",
    "VerificationFailed",
]
