"""Every act that is recorded, in one table.

Each action has the name the StateBase trace API shows it under and a sentence for
people. The names in the database are ours; a wire name may change without a rewrite
of history, which nobody is able to do anyway.
"""

from enum import StrEnum
from typing import NamedTuple


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
    PRICES_CREATED = "prices.created"
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
        return SHOWN[self].trace_name

    @property
    def sentence(self) -> str:
        """What happened, for people; the actor and the resource stand beside it."""
        return SHOWN[self].sentence


class Shown(NamedTuple):
    """How one action is shown outside."""

    trace_name: str
    sentence: str


SHOWN: dict[Action, Shown] = {
    Action.SESSION_CREATED: Shown("session.created", "Started the session"),
    Action.SESSION_UPDATED: Shown("session.updated", "Changed the session's metadata"),
    Action.SESSION_DELETED: Shown("session.deleted", "Deleted the session"),
    Action.SESSION_EXPIRED: Shown("session.expired", "The session expired"),
    Action.SESSION_FORKED: Shown("session.forked", "Forked the session"),
    Action.SESSION_HANDED_OFF: Shown(
        "session.handed_off", "Handed a version to another agent"
    ),
    Action.SESSION_PROMOTED: Shown(
        "state.updated", "Promoted the state of a fork to the session"
    ),
    Action.SESSION_ROLLED_BACK: Shown(
        "state.rolled_back", "Rolled the session back to an earlier version"
    ),
    Action.SESSION_REVERTED: Shown(
        "state.updated", "Took back what some versions had made of the state"
    ),
    Action.SESSION_REAPPLIED: Shown(
        "state.updated", "Applied once more what some versions had made of the state"
    ),
    Action.SESSION_RESTORED: Shown(
        "state.updated", "Restored places of the state from an earlier version"
    ),
    Action.SESSION_MIGRATED: Shown(
        "state.updated", "Migrated the state to another schema"
    ),
    Action.SESSION_PAUSED: Shown("session.paused", "Paused the session"),
    Action.SESSION_RESUMED: Shown("session.resumed", "Resumed the session"),
    Action.SESSION_CLOSED: Shown("session.closed", "Closed the session"),
    Action.SESSION_ESCALATED: Shown(
        "session.escalated", "Escalated the session to people"
    ),
    Action.SESSION_REVIEWED: Shown("session.reviewed", "Reviewed the session"),
    Action.SESSION_SCORED: Shown("session.scored", "Scored the session"),
    Action.SESSION_EMPTIED: Shown("session.emptied", "Emptied versions"),
    Action.SESSION_PRUNED: Shown("session.pruned", "Removed versions"),
    Action.SESSION_REMOVED: Shown("session.removed", "Removed the session"),
    Action.VERSION_CREATED: Shown("state.updated", "Changed the state"),
    Action.VERSION_LABELLED: Shown("version.labelled", "Labelled the version"),
    Action.VERSION_UNLABELLED: Shown(
        "version.unlabelled", "Removed a label from the version"
    ),
    Action.TURN_ADDED: Shown("turn.added", "Added a turn"),
    Action.NOTE_ADDED: Shown("note.added", "Wrote a note"),
    Action.SUMMARY_ADDED: Shown("summary.added", "Summarised turns"),
    Action.WRITES_ADDED: Shown("writes.added", "Kept what a task wrote"),
    Action.VERSIONS_HIDDEN: Shown(
        "versions.hidden", "Hid versions from the checkpointer"
    ),
    Action.EFFECT_BEGUN: Shown("effect.begun", "Began an act outside"),
    Action.EFFECT_FINISHED: Shown(
        "effect.finished", "Told what came of an act outside"
    ),
    Action.EFFECT_UNKNOWN: Shown(
        "effect.unknown", "It is not known whether an act outside happened"
    ),
    Action.FACTS_CHANGED: Shown(
        "facts.changed", "Found that facts have changed, or are not known"
    ),
    Action.EFFECT_SETTLED: Shown(
        "effect.settled", "Settled whether an act outside had happened"
    ),
    Action.EFFECT_REUSED: Shown(
        "effect.reused", "Answered an act outside from the record"
    ),
    Action.RESULTS_FORGOTTEN: Shown(
        "results.forgotten", "Forgot results that answered from the record"
    ),
    Action.COMPENSATION_REQUESTED: Shown(
        "compensation.requested", "Asked to put an act outside right"
    ),
    Action.COMPENSATION_FINISHED: Shown(
        "compensation.finished", "Told what came of putting an act outside right"
    ),
    Action.AGENT_CREATED: Shown("agent.created", "Registered the agent"),
    Action.AGENT_UPDATED: Shown("agent.updated", "Changed the agent"),
    Action.AGENT_MAPPED: Shown(
        "agent.mapped", "Mapped what the agent's states say of title, user and waiting"
    ),
    Action.AGENT_SUSPENDED: Shown("agent.suspended", "Suspended the agent"),
    Action.AGENT_ACTIVATED: Shown("agent.activated", "Activated the agent"),
    Action.AGENT_DELETED: Shown("agent.deleted", "Deleted the agent"),
    Action.AGENT_RESTORED: Shown("agent.restored", "Brought the agent back"),
    Action.APPROVAL_REQUESTED: Shown("approval.requested", "Asked for an approval"),
    Action.APPROVAL_VOTED: Shown("approval.voted", "Voted on an approval"),
    Action.APPROVAL_DECIDED: Shown("approval.decided", "Decided about an approval"),
    Action.APPROVAL_ESCALATED: Shown(
        "approval.escalated", "Handed an approval to administrators"
    ),
    Action.APPROVAL_RULE_CREATED: Shown(
        "approval_rule.created", "Made a rule of approvals"
    ),
    Action.APPROVAL_RULE_DELETED: Shown(
        "approval_rule.deleted", "Removed a rule of approvals"
    ),
    Action.SCHEMA_DECLARED: Shown("schema.declared", "Declared a schema of states"),
    Action.SCHEMA_WITHDRAWN: Shown("schema.withdrawn", "Withdrew a schema of states"),
    Action.MIGRATION_DECLARED: Shown(
        "migration.declared", "Declared a migration of states"
    ),
    Action.MIGRATION_WITHDRAWN: Shown(
        "migration.withdrawn", "Withdrew a migration of states"
    ),
    Action.BUDGET_CREATED: Shown("budget.created", "Made a budget"),
    Action.BUDGET_CHANGED: Shown("budget.changed", "Changed a budget"),
    Action.BUDGET_DELETED: Shown("budget.deleted", "Removed a budget"),
    Action.BUDGET_WARNED: Shown(
        "budget.warned", "Warned that a budget is nearly reached"
    ),
    Action.BUDGET_REACHED: Shown("budget.reached", "Found that a budget is reached"),
    Action.PRICES_CREATED: Shown("prices.created", "Made a list of prices"),
    Action.AUDIT_EXPORTED: Shown("audit.exported", "Exported the agent's audit"),
    Action.DATA_WRITTEN: Shown("data.written", "Wrote to the agent's data"),
    Action.DATA_BLOCKED: Shown("data.blocked", "A policy blocked a write"),
    Action.DATA_DELETED: Shown("data.deleted", "Deleted from the agent's data"),
    Action.DATA_EXPIRED: Shown("data.expired", "The time of some keys was over"),
    Action.CONFIG_UPDATED: Shown("config.updated", "Set the agent's config"),
    Action.CONFIG_ROLLED_BACK: Shown(
        "config.rolled_back", "Rolled the agent's config back"
    ),
    Action.CHECKPOINT_CREATED: Shown(
        "checkpoint.created", "Made a checkpoint of the agent"
    ),
    Action.CHECKPOINT_RESTORED: Shown(
        "checkpoint.restored", "Restored the agent to a checkpoint"
    ),
    Action.CHECKPOINT_DELETED: Shown(
        "checkpoint.deleted", "Deleted a checkpoint of the agent"
    ),
    Action.EXCEPTION_CREATED: Shown(
        "exception.created", "Made an exception from a policy of the agent"
    ),
    Action.EXCEPTION_ENDED: Shown(
        "exception.ended", "Ended an exception from a policy of the agent"
    ),
    Action.MEMORY_CREATED: Shown("memory.created", "Remembered something"),
    Action.MEMORY_UPDATED: Shown("memory.updated", "Changed a memory"),
    Action.MEMORY_DELETED: Shown("memory.deleted", "Took a memory back"),
    Action.MEMORY_CONFLICTED: Shown(
        "memory.conflicted", "Remembered something that is near another memory"
    ),
    Action.MEMORY_EXPIRED: Shown("memory.expired", "The time of memories was over"),
    Action.MEMORY_RESTORED: Shown(
        "memory.restored", "Stepped memories back to an earlier moment"
    ),
    Action.PROJECT_CREATED: Shown("project.created", "Created the project"),
    Action.PROJECT_CHANGED: Shown("project.changed", "Changed the project's settings"),
    Action.UNMASKED_READ: Shown("unmasked.read", "Read what masks cover"),
    Action.KEY_CREATED: Shown("key.created", "Issued the API key"),
    Action.KEY_REVOKED: Shown("key.revoked", "Revoked the API key"),
    Action.MEMBER_ADDED: Shown("member.added", "Added the member"),
    Action.MEMBER_CHANGED: Shown("member.changed", "Changed the member's role"),
    Action.MEMBER_REMOVED: Shown("member.removed", "Removed the member"),
    Action.USER_CREATED: Shown("user.created", "Created the user"),
    Action.SIGNIN_LINK_CREATED: Shown("signin_link.created", "Made a sign-in link"),
    Action.SIGNIN_LINK_USED: Shown("signin_link.used", "Signed in with a link"),
    Action.INVITATION_CREATED: Shown("invitation.created", "Made an invitation"),
    Action.INVITATION_USED: Shown("invitation.used", "Accepted the invitation"),
    Action.INVITATION_WITHDRAWN: Shown(
        "invitation.withdrawn", "Withdrew the invitation"
    ),
    Action.PASSWORD_LINK_CREATED: Shown(
        "password_link.created", "Made a link to set a new password"
    ),
    Action.PASSWORD_LINK_USED: Shown(
        "password_link.used", "Set a new password with a link"
    ),
    Action.PASSWORD_CHANGED: Shown("password.changed", "Changed the own password"),
    Action.SESSIONS_ENDED: Shown("sessions.ended", "Signed out of browsers"),
    Action.SECOND_FACTOR_SET_UP: Shown(
        "second_factor.set_up", "Set up a second factor"
    ),
    Action.SECOND_FACTOR_REMOVED: Shown(
        "second_factor.removed", "Removed the own second factor"
    ),
    Action.SECOND_FACTOR_RESET: Shown(
        "second_factor.reset", "Reset the member's second factor"
    ),
    Action.SECOND_FACTOR_REQUIRED: Shown(
        "second_factor.required", "Made the project ask for a second factor"
    ),
    Action.SECOND_FACTOR_NOT_REQUIRED: Shown(
        "second_factor.not_required",
        "Made the project no longer ask for a second factor",
    ),
    Action.RECOVERY_CODES_CREATED: Shown(
        "recovery_codes.created", "Made new recovery codes"
    ),
    Action.RECOVERY_CODE_USED: Shown("recovery_code.used", "Used a recovery code"),
    Action.WATCH_BEGUN: Shown("watch.begun", "Asked for mail about it"),
    Action.WATCH_ENDED: Shown("watch.ended", "Asked for no more mail about it"),
    Action.HANDOVER_WRITTEN: Shown("handover.written", "Wrote to the next shift"),
    Action.VIEW_SAVED: Shown("view.saved", "Saved the view"),
    Action.VIEW_DELETED: Shown("view.deleted", "Deleted the view"),
    Action.ALERT_FIRING: Shown("alert.firing", "The alert fires"),
    Action.ALERT_RESOLVED: Shown("alert.resolved", "The alert is over"),
    Action.ALERT_ACKNOWLEDGED: Shown("alert.acknowledged", "Took on the alert"),
    Action.SUMMARY_WEEKLY: Shown("summary.weekly", "Told how the week was"),
    Action.SUMMARY_CHOSEN: Shown("summary.chosen", "Asked for the weekly summary"),
    Action.SUMMARY_STOPPED: Shown(
        "summary.stopped", "Asked for no more weekly summaries"
    ),
    Action.RULE_CREATED: Shown("rule.created", "Made the alert rule"),
    Action.RULE_CHANGED: Shown("rule.changed", "Changed the alert rule"),
    Action.RULE_DELETED: Shown("rule.deleted", "Removed the alert rule"),
    Action.WEBHOOK_CREATED: Shown("webhook.created", "Made the webhook"),
    Action.WEBHOOK_UPDATED: Shown("webhook.updated", "Changed the webhook"),
    Action.WEBHOOK_ENABLED: Shown("webhook.enabled", "Switched the webhook on"),
    Action.WEBHOOK_DISABLED: Shown("webhook.disabled", "Switched the webhook off"),
    Action.WEBHOOK_SECRET_CHANGED: Shown(
        "webhook.secret_changed", "Made another secret for the webhook"
    ),
    Action.WEBHOOK_DELETED: Shown("webhook.deleted", "Deleted the webhook"),
    Action.WEBHOOK_TESTED: Shown("webhook.tested", "Sent a test to the webhook"),
    Action.WEBHOOK_RESENT: Shown("webhook.resent", "Sent to the webhook once more"),
    Action.PLAN_MADE: Shown("plan.made", "Planned an act on many sessions"),
    Action.PLAN_CONFIRMED: Shown("plan.confirmed", "Confirmed the plan"),
    Action.PLAN_RETRIED: Shown("plan.retried", "Tried again what failed of the plan"),
    Action.PLAN_UNDONE: Shown("plan.undone", "Took back what the plan had done"),
    Action.PLAN_DROPPED: Shown("plan.dropped", "Removed a plan nobody had confirmed"),
    Action.PLAN_CHANGED: Shown("plan.changed", "Changed the plan, or how it goes on"),
    Action.INCIDENT_OPENED: Shown("incident.opened", "Opened the incident"),
    Action.INCIDENT_CHANGED: Shown("incident.changed", "Changed the incident"),
    Action.INCIDENT_NOTED: Shown("incident.noted", "Wrote a note on the incident"),
    Action.INCIDENT_NARROWED: Shown(
        "incident.narrowed", "Took a session out of the incident"
    ),
    Action.RETENTION_POLICY_CREATED: Shown(
        "retention_policy.created", "Made a policy of retention"
    ),
    Action.RETENTION_POLICY_ENABLED: Shown(
        "retention_policy.enabled", "Switched a policy of retention on"
    ),
    Action.RETENTION_POLICY_DISABLED: Shown(
        "retention_policy.disabled", "Switched a policy of retention off"
    ),
    Action.RETENTION_PREVIEWED: Shown(
        "retention.previewed", "Asked what a policy of retention would remove"
    ),
    Action.RETENTION_REMOVED: Shown(
        "retention.removed", "Removed what a policy of retention lets go"
    ),
    Action.LEGAL_HOLD_SET: Shown("legal_hold.set", "Set a legal hold"),
    Action.LEGAL_HOLD_ENDED: Shown("legal_hold.ended", "Ended a legal hold"),
    Action.EXPORT_ASKED: Shown("export.asked", "Asked for an export"),
    Action.ERASURE_PREVIEWED: Shown(
        "erasure.previewed", "Asked what an erasure would take"
    ),
    Action.ERASURE_BEGUN: Shown("erasure.begun", "Began an erasure"),
    Action.ERASURE_DONE: Shown("erasure.done", "Ended an erasure"),
}


# A write of data was an event once: now the agent's stream alone has it.
RESERVED = frozenset({Action.DATA_WRITTEN})
RECORDED = tuple(action for action in Action if action not in RESERVED)


def actions_named(name: str) -> list[Action]:
    """Return the recorded actions of one name, ours or the trace API's."""
    ours = [action for action in RECORDED if action.value == name]
    return ours or [one for one in actions_shown_as(name) if one in RECORDED]


def actions_shown_as(trace_name: str) -> list[Action]:
    """Return our actions behind one name of the trace API, for its filter."""
    return [action for action, shown in SHOWN.items() if shown.trace_name == trace_name]
