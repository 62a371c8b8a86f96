"""The one table from error code to HTTP status, and the one error body.

Every app's error codes are here; a code that is missing fails loudly. `param` and
details come from the error, the request id from the request.
"""

from dataclasses import dataclass, field
from typing import Any

from rest_framework.response import Response

from apps.core.errors import DomainError

INVALID = "invalid_request_error"
AUTHENTICATION = "authentication_error"
LIMIT = "rate_limit_error"
OURS = "api_error"

ERRORS: dict[str, tuple[int, str]] = {
    "invalid_request": (400, INVALID),
    "malformed_json": (400, INVALID),
    "invalid_policy": (400, INVALID),
    "reason_required": (400, INVALID),
    "unknown_field": (400, INVALID),
    "unknown_parameter": (400, INVALID),
    "invalid_key": (400, INVALID),
    "authentication_failed": (401, AUTHENTICATION),
    "permission_denied": (403, INVALID),
    "agent_suspended": (403, INVALID),
    "agent_deleted": (403, INVALID),
    "second_factor_needed": (403, INVALID),
    "resource_not_found": (404, INVALID),
    "session_not_found": (404, INVALID),
    "version_not_found": (404, INVALID),
    "file_not_found": (404, INVALID),
    "turn_not_found": (404, INVALID),
    "agent_not_found": (404, INVALID),
    "webhook_not_found": (404, INVALID),
    "delivery_not_found": (404, INVALID),
    "trace_not_found": (404, INVALID),
    "label_not_found": (404, INVALID),
    "summary_not_found": (404, INVALID),
    "pointer_not_found": (404, INVALID),
    "effect_not_found": (404, INVALID),
    "task_not_found": (404, INVALID),
    "compensation_not_found": (404, INVALID),
    "rule_not_found": (404, INVALID),
    "plan_not_found": (404, INVALID),
    "export_not_found": (404, INVALID),
    "incident_not_found": (404, INVALID),
    "not_in_incident": (404, INVALID),
    "survey_not_found": (404, INVALID),
    "experiment_not_found": (404, INVALID),
    "document_not_found": (404, INVALID),
    "key_not_found": (404, INVALID),
    "config_version_not_found": (404, INVALID),
    "checkpoint_not_found": (404, INVALID),
    "exception_not_found": (404, INVALID),
    "memory_not_found": (404, INVALID),
    "approval_not_found": (404, INVALID),
    "approval_rule_not_found": (404, INVALID),
    "budget_not_found": (404, INVALID),
    "guard_not_found": (404, INVALID),
    "trial_not_found": (404, INVALID),
    "shared_not_found": (404, INVALID),
    "heartbeat_not_found": (404, INVALID),
    "unacceptable_heartbeat": (422, INVALID),
    "retention_policy_not_found": (404, INVALID),
    "preview_not_found": (404, INVALID),
    "removal_not_found": (404, INVALID),
    "legal_hold_not_found": (404, INVALID),
    "preview_stale": (409, INVALID),
    "experiment_closed": (409, INVALID),
    "legal_hold": (409, INVALID),
    "erasure_not_found": (404, INVALID),
    "root_not_found": (404, INVALID),
    "preview_not_ready": (409, INVALID),
    "legal_hold_ended": (409, INVALID),
    "approval_needed": (409, INVALID),
    "approval_closed": (409, INVALID),
    "approval_outdated": (409, INVALID),
    "already_voted": (409, INVALID),
    "too_many_approvals": (409, INVALID),
    "too_many_approval_rules": (409, INVALID),
    "too_many_budgets": (409, INVALID),
    "too_many_guards": (409, INVALID),
    "guard_exists": (409, INVALID),
    "guard_untried": (409, INVALID),
    "exception_exists": (409, INVALID),
    "too_many_exceptions": (409, INVALID),
    "method_not_allowed": (405, INVALID),
    "not_acceptable": (406, INVALID),
    "request_timeout": (408, INVALID),
    "version_conflict": (409, INVALID),
    "leased": (409, INVALID),
    "fence_stale": (409, INVALID),
    "lease_lapsed": (409, INVALID),
    "external_id_taken": (409, INVALID),
    "agent_exists": (409, INVALID),
    "session_closed": (409, INVALID),
    "name_taken": (409, INVALID),
    "already_member": (409, INVALID),
    "last_admin": (409, INVALID),
    "key_already_revoked": (409, INVALID),
    "second_factor_set_up": (409, INVALID),
    "nothing_to_roll_back": (409, INVALID),
    "no_rollback": (409, INVALID),
    "merge_conflict": (409, INVALID),
    "nothing_to_merge": (409, INVALID),
    "patch_failed": (409, INVALID),
    "schema_not_found": (404, INVALID),
    "migration_not_found": (404, INVALID),
    "schema_exists": (409, INVALID),
    "schema_used": (409, INVALID),
    "too_many_schemas": (409, INVALID),
    "schema_unknown": (409, INVALID),
    "schema_behind": (409, INVALID),
    "no_migration": (409, INVALID),
    "nothing_to_migrate": (409, INVALID),
    "migration_failed": (409, INVALID),
    "schema_unfit": (409, INVALID),
    "unacceptable_schema": (422, INVALID),
    "unacceptable_migration": (422, INVALID),
    "already_paused": (409, INVALID),
    "not_paused": (409, INVALID),
    "effect_in_progress": (409, INVALID),
    "task_ambiguous": (409, INVALID),
    "assumptions_changed": (409, INVALID),
    "effect_unknown": (409, INVALID),
    "effect_not_unknown": (409, INVALID),
    "effect_attempt": (409, INVALID),
    "effect_finished": (409, INVALID),
    "effects_crossed": (409, INVALID),
    "compensation_closed": (409, INVALID),
    "version_set_aside": (409, INVALID),
    "webhook_disabled": (409, INVALID),
    "plan_confirmed": (409, INVALID),
    "plan_not_looked": (409, INVALID),
    "plan_changed": (409, INVALID),
    "plan_not_running": (409, INVALID),
    "plan_running": (409, INVALID),
    "nothing_planned": (409, INVALID),
    "nothing_to_undo": (409, INVALID),
    "nothing_to_retry": (409, INVALID),
    "no_archive": (409, INVALID),
    "review_replaced": (409, INVALID),
    "rule_not_firing": (409, INVALID),
    "search_by_meaning_off": (409, INVALID),
    "too_many_keys": (409, INVALID),
    "restore_too_large": (409, INVALID),
    "restore_running": (409, INVALID),
    "restore_stopped": (409, INVALID),
    "link_not_usable": (410, INVALID),
    "version_pruned": (410, INVALID),
    "contents_erased": (410, INVALID),
    "length_required": (411, INVALID),
    "version_mismatch": (412, INVALID),
    "payload_too_large": (413, INVALID),
    "content_too_large": (413, INVALID),
    "unsupported_media_type": (415, INVALID),
    "range_not_satisfiable": (416, INVALID),
    "unacceptable_json": (422, INVALID),
    "unacceptable_policy": (422, INVALID),
    "unacceptable_legal_hold": (422, INVALID),
    "unacceptable_mask": (422, INVALID),
    "masked": (422, INVALID),
    "unacceptable_range": (422, INVALID),
    "unacceptable_pointer": (422, INVALID),
    "not_a_fork": (422, INVALID),
    "not_pickable": (422, INVALID),
    "choice_refused": (422, INVALID),
    "unacceptable_fact": (422, INVALID),
    "not_for_masked": (403, INVALID),
    "unacceptable_erasure": (422, INVALID),
    "unacceptable_export": (422, INVALID),
    "unacceptable_incident": (422, INVALID),
    "unacceptable_survey": (422, INVALID),
    "unacceptable_experiment": (422, INVALID),
    "unacceptable_approval": (422, INVALID),
    "unacceptable_arguments": (422, INVALID),
    "second_factor_refused": (422, INVALID),
    "idempotency_key_reused": (422, INVALID),
    "handoff_not_verified": (422, INVALID),
    "effect_differs": (422, INVALID),
    "cache_invalid": (422, INVALID),
    "effects_unconfirmed": (422, INVALID),
    "deadline_passed": (422, INVALID),
    "digest_mismatch": (422, INVALID),
    "blob_missing": (422, INVALID),
    "session_paused": (423, INVALID),
    "budget_reached": (409, INVALID),
    "unacceptable_budget": (422, INVALID),
    "unacceptable_guard": (422, INVALID),
    "guard_refused": (422, INVALID),
    "unacceptable_prices": (422, INVALID),
    "unacceptable_usage": (422, INVALID),
    "usage_currency": (422, INVALID),
    "data_held": (423, INVALID),
    "rate_limit_exceeded": (429, LIMIT),
    "internal_error": (500, OURS),
    "body_not_verified": (500, OURS),
    "service_unavailable": (503, OURS),
    "meaning_unavailable": (503, OURS),
    "keys_unavailable": (503, OURS),
    "insufficient_storage": (507, OURS),
}

AUTHENTICATE = 'Bearer realm="api"'
RETRY_SECONDS = {
    "service_unavailable": 1,
    "keys_unavailable": 30,
    "insufficient_storage": 30,
}
# The Anchor clients turn every error that has it into a policy violation.
FORBIDDEN_KEYS = frozenset({"blocked_by"})


def at_top(body: dict[str, Any]) -> dict[str, Any]:
    """Repeat at the top of an error's body what Anchor's clients read there."""
    error = body["error"]
    told = {name: error[name] for name in ("code", "message", "param")}
    told["field"] = error["param"]
    if "required" in error:
        told["required_permission"] = error["required"]
    if "retry_after" in error:
        told["retry_after"] = error["retry_after"]
    return body | told


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """An error on its way out."""

    code: str
    message: str
    param: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    is_conflict: bool = False

    @classmethod
    def of(cls, error: DomainError) -> "Problem":
        return cls(
            code=error.code,
            message=error.message,
            param=error.param,
            details=error.details,
            is_conflict=error.is_conflict,
        )

    @property
    def status(self) -> int:
        """Raises: KeyError for a code that the table does not know."""
        status = ERRORS[self.code][0]
        return 409 if self.is_conflict else status

    @property
    def retry_after(self) -> int | None:
        return self.details.get("retry_after", RETRY_SECONDS.get(self.code))

    def body(self, request_id: str) -> dict[str, Any]:
        """Return StateBase's `error` object, and the `detail` that others read."""
        details = {k: v for k, v in self.details.items() if k not in FORBIDDEN_KEYS}
        if self.retry_after is not None:
            details["retry_after"] = self.retry_after
        error = details | {
            "code": self.code,
            "message": self.message,
            "type": ERRORS[self.code][1],
            "param": self.param,
            "request_id": request_id,
        }
        return {"error": error, "detail": self.message}

    def all_headers(self) -> dict[str, str]:
        """Return its own headers, and those that go with its status."""
        usual = {}
        if self.status == 401:
            usual["WWW-Authenticate"] = AUTHENTICATE
        if self.retry_after is not None:
            usual["Retry-After"] = str(self.retry_after)
        return usual | self.headers

    def response(self, request_id: str) -> Response:
        """Return the answer of a DRF view."""
        return Response(
            self.body(request_id), status=self.status, headers=self.all_headers()
        )
