"""Every act that is recorded, by name.

The names in the database are ours; a wire name may change without a rewrite of history,
which nobody is able to do anyway.
"""

from enum import StrEnum

from apps.audit.actions.sentences import SENTENCES

# The names under which the StateBase trace API shows acts, where those are not ours.
TRACE_NAMES = {
    "session.promoted": "state.updated",
    "session.rolled_back": "state.rolled_back",
    "session.reverted": "state.updated",
    "session.reapplied": "state.updated",
    "session.restored": "state.updated",
    "session.migrated": "state.updated",
    "version.created": "state.updated",
}


class Action(StrEnum):
    """What was done; the noun is the resource, the verb is in the past."""

    SESSION_CREATED = "session.created"
    SESSION_UPDATED = "session.updated"
    SESSION_DELETED = "session.deleted"
    SESSION_EXPIRED = "session.expired"
    SESSION_FORKED = "session.forked"
    SESSION_PROMOTED = "session.promoted"
    SESSION_HANDED_OFF = "session.handed_off"
    SESSION_ROLLED_BACK = "session.rolled_back"
    SESSION_REVERTED = "session.reverted"
    SESSION_REAPPLIED = "session.reapplied"
    SESSION_RESTORED = "session.restored"
    SESSION_MIGRATED = "session.migrated"
    SESSION_PAUSED = "session.paused"
    SESSION_RESUMED = "session.resumed"
    SESSION_CLOSED = "session.closed"
    SESSION_ESCALATED = "session.escalated"
    SESSION_REVIEWED = "session.reviewed"
    SESSION_SCORED = "session.scored"
    SESSION_EMPTIED = "session.emptied"
    SESSION_PRUNED = "session.pruned"
    SESSION_REMOVED = "session.removed"
    VERSION_CREATED = "version.created"
    VERSION_LABELLED = "version.labelled"
    VERSION_UNLABELLED = "version.unlabelled"
    TURN_ADDED = "turn.added"
    NOTE_ADDED = "note.added"
    SUMMARY_ADDED = "summary.added"
    WRITES_ADDED = "writes.added"
    VERSIONS_HIDDEN = "versions.hidden"
    EFFECT_BEGUN = "effect.begun"
    EFFECT_FINISHED = "effect.finished"
    EFFECT_UNKNOWN = "effect.unknown"
    FACTS_CHANGED = "facts.changed"
    EFFECT_SETTLED = "effect.settled"
    EFFECT_REUSED = "effect.reused"
    RESULTS_FORGOTTEN = "results.forgotten"
    COMPENSATION_REQUESTED = "compensation.requested"
    COMPENSATION_FINISHED = "compensation.finished"
    AGENT_CREATED = "agent.created"
    AGENT_UPDATED = "agent.updated"
    AGENT_MAPPED = "agent.mapped"
    AGENT_SUSPENDED = "agent.suspended"
    AGENT_ACTIVATED = "agent.activated"
    AGENT_DELETED = "agent.deleted"
    AGENT_RESTORED = "agent.restored"
    APPROVAL_REQUESTED = "approval.requested"
    APPROVAL_VOTED = "approval.voted"
    APPROVAL_DECIDED = "approval.decided"
    APPROVAL_ESCALATED = "approval.escalated"
    APPROVAL_RULE_CREATED = "approval_rule.created"
    APPROVAL_RULE_DELETED = "approval_rule.deleted"
    SCHEMA_DECLARED = "schema.declared"
    SCHEMA_WITHDRAWN = "schema.withdrawn"
    MIGRATION_DECLARED = "migration.declared"
    MIGRATION_WITHDRAWN = "migration.withdrawn"
    BUDGET_CREATED = "budget.created"
    BUDGET_CHANGED = "budget.changed"
    BUDGET_DELETED = "budget.deleted"
    BUDGET_WARNED = "budget.warned"
    BUDGET_REACHED = "budget.reached"
    GUARD_CREATED = "guard.created"
    GUARD_CHANGED = "guard.changed"
    GUARD_WITHDRAWN = "guard.withdrawn"
    GUARD_TRIED = "guard.tried"
    GUARD_FAILED = "guard.failed"
    PRICES_CREATED = "prices.created"
    SESSION_SILENT = "session.silent"
    SESSION_HEARD = "session.heard"
    HEARTBEAT_EXPECTED = "heartbeat.expected"
    HEARTBEAT_STOPPED = "heartbeat.stopped"
    SHARED_CREATED = "shared.created"
    SHARED_UPDATED = "shared.updated"
    SHARED_ROLLED_BACK = "shared.rolled_back"
    SHARED_LEASED = "shared.leased"
    SHARED_RELEASED = "shared.released"
    AUDIT_EXPORTED = "audit.exported"
    DATA_WRITTEN = "data.written"
    DATA_BLOCKED = "data.blocked"
    DATA_DELETED = "data.deleted"
    DATA_EXPIRED = "data.expired"
    CONFIG_UPDATED = "config.updated"
    CONFIG_ROLLED_BACK = "config.rolled_back"
    CHECKPOINT_CREATED = "checkpoint.created"
    CHECKPOINT_RESTORED = "checkpoint.restored"
    CHECKPOINT_DELETED = "checkpoint.deleted"
    EXCEPTION_CREATED = "exception.created"
    EXCEPTION_ENDED = "exception.ended"
    MEMORY_CREATED = "memory.created"
    MEMORY_UPDATED = "memory.updated"
    MEMORY_DELETED = "memory.deleted"
    MEMORY_CONFLICTED = "memory.conflicted"
    MEMORY_EXPIRED = "memory.expired"
    MEMORY_RESTORED = "memory.restored"
    PROJECT_CREATED = "project.created"
    PROJECT_CHANGED = "project.changed"
    UNMASKED_READ = "unmasked.read"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    MEMBER_ADDED = "member.added"
    MEMBER_CHANGED = "member.changed"
    MEMBER_REMOVED = "member.removed"
    USER_CREATED = "user.created"
    SIGNIN_LINK_CREATED = "signin_link.created"
    SIGNIN_LINK_USED = "signin_link.used"
    INVITATION_CREATED = "invitation.created"
    INVITATION_USED = "invitation.used"
    INVITATION_WITHDRAWN = "invitation.withdrawn"
    PASSWORD_LINK_CREATED = "password_link.created"  # noqa: S105
    PASSWORD_LINK_USED = "password_link.used"  # noqa: S105
    PASSWORD_CHANGED = "password.changed"  # noqa: S105
    SESSIONS_ENDED = "sessions.ended"
    SECOND_FACTOR_SET_UP = "second_factor.set_up"
    SECOND_FACTOR_REMOVED = "second_factor.removed"
    SECOND_FACTOR_RESET = "second_factor.reset"
    SECOND_FACTOR_REQUIRED = "second_factor.required"
    SECOND_FACTOR_NOT_REQUIRED = "second_factor.not_required"
    RECOVERY_CODES_CREATED = "recovery_codes.created"
    RECOVERY_CODE_USED = "recovery_code.used"
    WATCH_BEGUN = "watch.begun"
    WATCH_ENDED = "watch.ended"
    HANDOVER_WRITTEN = "handover.written"
    VIEW_SAVED = "view.saved"
    VIEW_DELETED = "view.deleted"
    ALERT_FIRING = "alert.firing"
    ALERT_RESOLVED = "alert.resolved"
    ALERT_ACKNOWLEDGED = "alert.acknowledged"
    SUMMARY_WEEKLY = "summary.weekly"
    SUMMARY_CHOSEN = "summary.chosen"
    SUMMARY_STOPPED = "summary.stopped"
    RULE_CREATED = "rule.created"
    RULE_CHANGED = "rule.changed"
    RULE_DELETED = "rule.deleted"
    WEBHOOK_CREATED = "webhook.created"
    WEBHOOK_UPDATED = "webhook.updated"
    WEBHOOK_ENABLED = "webhook.enabled"
    WEBHOOK_DISABLED = "webhook.disabled"
    WEBHOOK_SECRET_CHANGED = "webhook.secret_changed"  # noqa: S105
    WEBHOOK_DELETED = "webhook.deleted"
    WEBHOOK_TESTED = "webhook.tested"
    WEBHOOK_RESENT = "webhook.resent"
    PLAN_MADE = "plan.made"
    PLAN_CONFIRMED = "plan.confirmed"
    PLAN_RETRIED = "plan.retried"
    PLAN_UNDONE = "plan.undone"
    PLAN_DROPPED = "plan.dropped"
    PLAN_CHANGED = "plan.changed"
    INCIDENT_OPENED = "incident.opened"
    INCIDENT_CHANGED = "incident.changed"
    INCIDENT_NOTED = "incident.noted"
    INCIDENT_NARROWED = "incident.narrowed"
    INCIDENT_WIDENED = "incident.widened"
    INCIDENT_REOPENED = "incident.reopened"
    SURVEY_ASKED = "survey.asked"
    EXPERIMENT_MADE = "experiment.made"
    EXPERIMENT_RENAMED = "experiment.renamed"
    EXPERIMENT_CLOSED = "experiment.closed"
    RETENTION_POLICY_CREATED = "retention_policy.created"
    RETENTION_POLICY_ENABLED = "retention_policy.enabled"
    RETENTION_POLICY_DISABLED = "retention_policy.disabled"
    RETENTION_PREVIEWED = "retention.previewed"
    RETENTION_REMOVED = "retention.removed"
    LEGAL_HOLD_SET = "legal_hold.set"
    LEGAL_HOLD_ENDED = "legal_hold.ended"
    EXPORT_ASKED = "export.asked"
    ERASURE_PREVIEWED = "erasure.previewed"
    ERASURE_BEGUN = "erasure.begun"
    ERASURE_DONE = "erasure.done"

    @property
    def trace_name(self) -> str:
        """The action's name in the StateBase trace API."""
        return TRACE_NAMES.get(self.value, self.value)

    @property
    def sentence(self) -> str:
        """What happened, for people; the actor and the resource stand beside it."""
        return SENTENCES[self.value]


# A write of data was an event once: now the agent's stream alone has it.
RESERVED = frozenset({Action.DATA_WRITTEN})
RECORDED = tuple(action for action in Action if action not in RESERVED)


def actions_named(name: str) -> list[Action]:
    """Return the recorded actions of one name, ours or the trace API's."""
    ours = [action for action in RECORDED if action.value == name]
    return ours or [one for one in actions_shown_as(name) if one in RECORDED]


def actions_shown_as(trace_name: str) -> list[Action]:
    """Return our actions behind one name of the trace API, for its filter."""
    return [action for action in Action if action.trace_name == trace_name]
