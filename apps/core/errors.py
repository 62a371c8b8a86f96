"""The one base of everything a caller can do wrong.

A domain error carries a stable code, a sentence for people and typed details; it
knows nothing of HTTP. `apps.core.http` holds the single table from code to status.
"""

from collections.abc import Callable
from typing import Any, ClassVar


class DomainError(Exception):
    """Something about the request cannot be done."""

    code: ClassVar[str] = "invalid_request"
    # Whether an act cannot be done for it, where the code says so of a read.
    is_conflict = False
    # What is to be stored of the refusal itself: called by whoever answers with it,
    # when all that the request did is rolled back; in a transaction of its own.
    to_keep: Callable[[], None] | None = None

    def __init__(
        self, message: str | None = None, *, param: str | None = None, **details: Any
    ) -> None:
        """Take the docstring as the sentence unless a better one is given.

        `param` names the offending field, query parameter or JSON pointer;
        `details` are facts that go into the answer (head number, session id, ...).
        """
        self.message = message or (self.__doc__ or self.code).strip().split("\n")[0]
        self.param = param
        self.details = details
        super().__init__(self.message)


class InvalidRequest(DomainError):
    """The request is not acceptable."""

    code = "invalid_request"


class UnknownField(DomainError):
    """The body has a field that this address does not take."""

    code = "unknown_field"


class UnknownParameter(DomainError):
    """The query has a parameter that this address does not take."""

    code = "unknown_parameter"


class PermissionDenied(DomainError):
    """This needs a permission that the caller does not have."""

    code = "permission_denied"


class NotFound(DomainError):
    """There is no such thing, or it is not yours to see."""

    code = "resource_not_found"


class MalformedJson(DomainError):
    """The body is not valid JSON."""

    code = "malformed_json"


class UnacceptableJson(DomainError):
    """The JSON is well formed, but cannot be stored."""

    code = "unacceptable_json"


class PatchFailed(DomainError):
    """An operation does not fit the state: nothing was changed."""

    code = "patch_failed"


class PayloadTooLarge(DomainError):
    """The body is larger than is accepted."""

    code = "payload_too_large"


class ContentTooLarge(DomainError):
    """This is larger than is kept in one place."""

    code = "content_too_large"


class IdempotencyKeyReused(DomainError):
    """This idempotency key was used before, with another request."""

    code = "idempotency_key_reused"


class OutcomeUnknown(DomainError):
    """The store did not answer: retry with the same idempotency key."""

    code = "service_unavailable"


class Busy(DomainError):
    """The service is busy; retry shortly."""

    code = "service_unavailable"
