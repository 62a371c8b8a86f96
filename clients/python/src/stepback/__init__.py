"""Client of Stepback: keep every state an agent ever had, and step back to any."""

from stepback._async.client import AsyncStepback
from stepback._sync.client import Stepback
from stepback.errors import (
    ApiError,
    Conflict,
    ConnectionFailed,
    NotFound,
    StepbackError,
    UnexpectedAnswer,
)

__all__ = [
    "ApiError",
    "AsyncStepback",
    "Conflict",
    "ConnectionFailed",
    "NotFound",
    "Stepback",
    "StepbackError",
    "UnexpectedAnswer",
]
