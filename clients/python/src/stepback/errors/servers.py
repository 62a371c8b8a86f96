"""The server could not do it, or not now."""

from __future__ import annotations

from stepback.failures import ApiError


class RateLimitExceeded(ApiError):
    code = "rate_limit_exceeded"

    @property
    def retry_after(self) -> float | None:
        found = self.details.get("retry_after")
        return None if found is None else float(found)


class ServerError(ApiError):
    """The server could not do it."""


class InternalError(ServerError):
    code = "internal_error"


class BodyNotVerified(ServerError):
    """What is stored of the version is not what was committed to; nothing was done.

    `details["version"]` names it. Another version may be restored.
    """

    code = "body_not_verified"


class ServiceUnavailable(ServerError):
    """The outcome may be unknown; a repetition with the same key is done once."""

    code = "service_unavailable"


class MeaningUnavailable(ServerError):
    """The server has no model for meanings just now; words it can search."""

    code = "meaning_unavailable"


class KeysUnavailable(ServerError):
    """The server cannot have the keys that this is encrypted with; nothing was done."""

    code = "keys_unavailable"


class InsufficientStorage(ServerError):
    code = "insufficient_storage"
