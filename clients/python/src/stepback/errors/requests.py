"""The request is not acceptable as it was sent."""

from __future__ import annotations

from stepback.failures import ApiError


class BadRequest(ApiError):
    """The request is not acceptable as it was sent."""


class InvalidRequest(BadRequest):
    code = "invalid_request"


class MalformedJson(BadRequest):
    code = "malformed_json"


class Unknown(BadRequest):
    """The server does not know a name that was sent; nothing was done."""

    @property
    def nearest(self) -> str | None:
        """The known name that was probably meant."""
        found = self.details.get("nearest")
        return None if found is None else str(found)


class UnknownField(Unknown):
    """`param` is the field, as in `versions[57].statee`."""

    code = "unknown_field"


class UnknownParameter(Unknown):
    """`param` is the query parameter."""

    code = "unknown_parameter"


class UnacceptableJson(BadRequest):
    """Well-formed, but no state; `param` is a JSON pointer to what is not."""

    code = "unacceptable_json"


class IdempotencyKeyReused(BadRequest):
    """This key was used before, with another request."""

    code = "idempotency_key_reused"


class HandoffNotVerified(BadRequest):
    """The handoff was not issued by this server, or was changed."""

    code = "handoff_not_verified"


class RequestTimeout(BadRequest):
    """The body came too slowly; nothing was stored."""

    code = "request_timeout"


class LengthRequired(BadRequest):
    code = "length_required"


class UnsupportedMediaType(BadRequest):
    code = "unsupported_media_type"


class MethodNotAllowed(BadRequest):
    code = "method_not_allowed"


class NotAcceptable(BadRequest):
    code = "not_acceptable"


class PayloadTooLarge(BadRequest):
    code = "payload_too_large"


class ContentTooLarge(BadRequest):
    """A value, its metadata or a config is larger than is kept."""

    code = "content_too_large"


class InvalidKey(BadRequest):
    """An address would turn this key of an agent's data into another one."""

    code = "invalid_key"


class InvalidPolicy(BadRequest):
    """The policies of this config cannot be kept; `param` points at the fault."""

    code = "invalid_policy"
