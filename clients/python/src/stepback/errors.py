"""What can go wrong with a call: one class per error code of the server.

A call that fails raises; none returns an empty state in place of one that could not
be read. A code that this release does not know is an `ApiError` with that code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

# Told here, too, with the classes of all codes.
from stepback.failures import ApiError as ApiError
from stepback.failures import CheckpointNotStored as CheckpointNotStored
from stepback.failures import ConnectionFailed as ConnectionFailed
from stepback.failures import RestoreFailed as RestoreFailed
from stepback.failures import StepbackError as StepbackError
from stepback.failures import UnexpectedAnswer as UnexpectedAnswer
from stepback.failures import VerificationFailed as VerificationFailed


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


class AuthenticationFailed(ApiError):
    """There is no such key, or it has ended."""

    code = "authentication_failed"

    @property
    def reason(self) -> str | None:
        """missing, unknown, revoked or expired."""
        found = self.details.get("reason")
        return None if found is None else str(found)


class PermissionDenied(ApiError):
    """The key does not reach so far."""

    code = "permission_denied"


class AgentSuspended(ApiError):
    """The agent may not write until it is activated."""

    code = "agent_suspended"


class AgentDeleted(ApiError):
    """The agent may not write until an administrator brings it back."""

    code = "agent_deleted"


class NotFound(ApiError):
    """There is no such thing, or not for this key."""


class ResourceNotFound(NotFound):
    code = "resource_not_found"


class SessionNotFound(NotFound):
    code = "session_not_found"


class VersionNotFound(NotFound):
    code = "version_not_found"


class TurnNotFound(NotFound):
    code = "turn_not_found"


class EffectNotFound(NotFound):
    code = "effect_not_found"


class TraceNotFound(NotFound):
    code = "trace_not_found"


class AgentNotFound(NotFound):
    code = "agent_not_found"


class WebhookNotFound(NotFound):
    code = "webhook_not_found"


class DeliveryNotFound(NotFound):
    code = "delivery_not_found"


class RuleNotFound(NotFound):
    code = "rule_not_found"


class PlanNotFound(NotFound):
    code = "plan_not_found"


class RetentionPolicyNotFound(NotFound):
    code = "retention_policy_not_found"


class PreviewNotFound(NotFound):
    code = "preview_not_found"


class RemovalNotFound(NotFound):
    code = "removal_not_found"


class ErasureNotFound(NotFound):
    code = "erasure_not_found"


class LegalHoldNotFound(NotFound):
    code = "legal_hold_not_found"


class ExportNotFound(NotFound):
    """There is no such export, or its link is no longer valid."""

    code = "export_not_found"


class KeyNotFound(NotFound):
    """Nothing stands under this key of the agent's data."""

    code = "key_not_found"


class ConfigVersionNotFound(NotFound):
    code = "config_version_not_found"


class CheckpointNotFound(NotFound):
    """The agent has no such checkpoint, or it was deleted."""

    code = "checkpoint_not_found"


class ExceptionNotFound(NotFound):
    """The agent has no such exception from a policy."""

    code = "exception_not_found"


class MemoryNotFound(NotFound):
    """There is no such memory, or it was deleted or its session is over."""

    code = "memory_not_found"


class DocumentNotFound(NotFound):
    code = "document_not_found"


class SummaryNotFound(NotFound):
    code = "summary_not_found"


class LabelNotFound(NotFound):
    code = "label_not_found"


class PointerNotFound(NotFound):
    code = "pointer_not_found"


class Conflict(ApiError):
    """The session has moved on: read the head, and build on that."""

    @property
    def expected_version(self) -> int:
        return int(self.details["expected_version"])

    @property
    def head(self) -> int:
        """The number of the head that was there instead."""
        return int(self.details["head"])

    @property
    def head_written_by(self) -> str:
        return str(self.details["head_written_by"])

    @property
    def head_written_at(self) -> str:
        return str(self.details["head_written_at"])

    @property
    def changed_paths(self) -> tuple[str, ...]:
        """Which JSON pointers changed since the version you named, the first 50."""
        return tuple(self.details["changed_paths"])


class VersionConflict(Conflict):
    """`expected_version` is not the head."""

    code = "version_conflict"


class VersionMismatch(Conflict):
    """`If-Match` is not the head."""

    code = "version_mismatch"


class Refused(ApiError):
    """It cannot be done as things are."""


class ExternalIdTaken(Refused):
    """Another session, or version of this one, has that name."""

    code = "external_id_taken"

    @property
    def session_id(self) -> str | None:
        """The session that has the name, if this key may see it."""
        found = self.details.get("session_id")
        return None if found is None else str(found)


class EffectRefused(Refused):
    """A call that was asked about is not to be made, or was finished otherwise."""

    @property
    def attempt(self) -> int | None:
        """The newest attempt of the effect."""
        found = self.details.get("attempt")
        return None if found is None else int(found)


class EffectInProgress(EffectRefused):
    """It is begun, and not finished: do not run it."""

    code = "effect_in_progress"


class EffectUnknown(EffectRefused):
    """It is not known whether it happened: somebody has to settle it."""

    code = "effect_unknown"


class EffectNotUnknown(EffectRefused):
    """It is known what became of it."""

    code = "effect_not_unknown"


class EffectAttempt(EffectRefused):
    """Another attempt is the newest one."""

    code = "effect_attempt"


class EffectFinished(EffectRefused):
    """It was finished otherwise."""

    code = "effect_finished"


class EffectsCrossed(Refused):
    """The rollback would go behind effects; `details` has their ids, and how many."""

    code = "effects_crossed"


class EffectsUnconfirmed(Refused):
    """People confirm what goes behind effects that cannot be undone."""

    code = "effects_unconfirmed"


class CompensationNotFound(NotFound):
    code = "compensation_not_found"


class CompensationClosed(Refused):
    """It is done or waived."""

    code = "compensation_closed"


class EffectDiffers(EffectRefused):
    """The key stands for another call."""

    code = "effect_differs"


class CacheInvalid(BadRequest):
    """This is not how a result of the record is asked for."""

    code = "cache_invalid"


class VersionSetAside(Refused):
    """A rollback has set the version aside that this was decided on."""

    code = "version_set_aside"


class DeadlinePassed(BadRequest):
    """This moment is over already."""

    code = "deadline_passed"


class AgentExists(Refused):
    code = "agent_exists"


class SessionClosed(Refused):
    """The session can be read and forked, but not written."""

    code = "session_closed"


class SessionPaused(Refused):
    """Agents cannot write until the session is resumed."""

    code = "session_paused"


class DataHeld(Refused):
    """The agent's data is held: nothing can be written to it."""

    code = "data_held"


class TooManyKeys(Refused):
    code = "too_many_keys"


class RestoreTooLarge(Refused):
    code = "restore_too_large"


class RestoreRunning(Refused):
    """A checkpoint of the agent is being restored already: wait until that is over."""

    code = "restore_running"


class RestoreStopped(Refused):
    """A restore by steps was refused half-way; the steps before that stand."""

    code = "restore_stopped"


class ExceptionExists(Refused):
    """The agent has an exception for the same already: end it first."""

    code = "exception_exists"


class TooManyExceptions(Refused):
    code = "too_many_exceptions"


class NothingToRollBack(Refused):
    """The version to restore is the head itself."""

    code = "nothing_to_roll_back"


class ReasonRequired(Refused):
    """The project requires a reason of every rollback, and this one gave none."""

    code = "reason_required"


class NoRollback(Refused):
    code = "no_rollback"


class AlreadyPaused(Refused):
    code = "already_paused"


class NotPaused(Refused):
    code = "not_paused"


class WebhookDisabled(Refused):
    code = "webhook_disabled"


class PlanConfirmed(Refused):
    """A plan is done once."""

    code = "plan_confirmed"


class PreviewStale(Refused):
    """A policy is enabled with a preview of itself that is not older than a day."""

    code = "preview_stale"


class PreviewNotReady(Refused):
    """It is still being counted: ask again in a moment."""

    code = "preview_not_ready"


class UnderLegalHold(Refused):
    """Something of it is under a legal hold, which has to be ended first."""

    code = "legal_hold"


class LegalHoldEnded(Refused):
    code = "legal_hold_ended"


class RuleNotFiring(Refused):
    """Nobody need take it on."""

    code = "rule_not_firing"


class SearchByMeaningOff(Refused):
    code = "search_by_meaning_off"


class NothingPlanned(Refused):
    """Every session of the plan is left out."""

    code = "nothing_planned"


class NothingToUndo(Refused):
    code = "nothing_to_undo"


class NothingToRetry(Refused):
    code = "nothing_to_retry"


class ReviewReplaced(Refused):
    """Somebody has reviewed the session since."""

    code = "review_replaced"


class NoArchive(Refused):
    """The plan is no export, is not over yet, or exported nothing."""

    code = "no_archive"


class NameTaken(Refused):
    code = "name_taken"


class AlreadyMember(Refused):
    code = "already_member"


class LastAdmin(Refused):
    code = "last_admin"


class KeyAlreadyRevoked(Refused):
    code = "key_already_revoked"


class LinkNotUsable(Refused):
    code = "link_not_usable"


class SecondFactorNeeded(Refused):
    code = "second_factor_needed"


class SecondFactorRefused(Refused):
    code = "second_factor_refused"


class SecondFactorSetUp(Refused):
    code = "second_factor_set_up"


class ApprovalNotFound(NotFound):
    code = "approval_not_found"


class ApprovalRuleNotFound(NotFound):
    code = "approval_rule_not_found"


class ApprovalNeeded(Refused):
    """Ask for an approval with `details["tool"]` and `details["arguments"]`."""

    code = "approval_needed"


class ApprovalClosed(Refused):
    """It is decided, or its time is over; `details["outcome"]` says which."""

    code = "approval_closed"


class ApprovalOutdated(Refused):
    code = "approval_outdated"


class AlreadyVoted(Refused):
    code = "already_voted"


class TooManyApprovals(Refused):
    code = "too_many_approvals"


class TooManyApprovalRules(Refused):
    code = "too_many_approval_rules"


class UnacceptablePolicy(BadRequest):
    """A policy of retention cannot be like that; `param` says what of it."""

    code = "unacceptable_policy"


class UnacceptableErasure(BadRequest):
    """This cannot be erased; `param` says what of it."""

    code = "unacceptable_erasure"


class UnacceptableLegalHold(BadRequest):
    """A legal hold cannot be like that; `param` says what of it."""

    code = "unacceptable_legal_hold"


class UnacceptableApproval(BadRequest):
    """This cannot be asked for; `param` says what of it."""

    code = "unacceptable_approval"


class UnacceptableArguments(BadRequest):
    """They do not pass the schema; `param` is a JSON pointer to the first place."""

    code = "unacceptable_arguments"


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


class InsufficientStorage(ServerError):
    code = "insufficient_storage"


def _classes(base: type[ApiError]) -> Iterator[type[ApiError]]:
    for one in base.__subclasses__():
        yield one
        yield from _classes(one)


class Codes:
    """Which class stands for which code."""

    by_code: ClassVar[Mapping[str, type[ApiError]]] = {
        one.code: one for one in _classes(ApiError) if one.code
    }
