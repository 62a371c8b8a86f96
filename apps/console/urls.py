"""The console's pages, one URL each."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from apps.console.forms.project import SESSION_ID
from apps.console.views.administration import (
    alerts,
    erasures,
    exports,
    keeping,
    keys,
    masks,
    members,
    webhooks,
    weekly,
)
from apps.console.views.agent import audit as agent_audit
from apps.console.views.agent import checkpoints as agent_checkpoints
from apps.console.views.agent import config as agent_config
from apps.console.views.agent import data as agent_data
from apps.console.views.agent import exceptions, formation
from apps.console.views.approvals import deciding as deciding_approvals
from apps.console.views.approvals import looking as approvals
from apps.console.views.effects import session_effects as effects
from apps.console.views.guards import budgets
from apps.console.views.incidents import acting as acting_on_incidents
from apps.console.views.incidents import looking as incidents
from apps.console.views.memories import deciding, looking
from apps.console.views.project import (
    agents,
    audit,
    components,
    floor,
    home,
    mapping,
    metrics,
    open_items,
    plans,
    saved_views,
    sessions,
    watching,
)
from apps.console.views.schemas import declaring as schemas
from apps.console.views.session import (
    comparison,
    conversation,
    detail,
    forks,
    holds,
    lineage,
    live,
    meaning,
    memories,
    reviews,
    rollbacks,
    version,
)
from apps.console.views.session.investigating import bisecting, merging


class SessionIdConverter(StringConverter):
    """A session's id as it is made; anything else is no page."""

    regex = SESSION_ID


class VersionNumberConverter:
    """A number that a bigint can hold."""

    regex = "(?:0|[1-9][0-9]{0,17})"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(SessionIdConverter, "session_id")
register_converter(VersionNumberConverter, "version_number")

# /console/<slug>/sessions/<id>
SESSIONS = "console/<slug:slug>/sessions"
SESSION = "console/<slug:slug>/sessions/<session_id:session_id>"
AGENT = "console/<slug:slug>/agents/<str:agent_id>"
CONFIG_VERSION = f"{AGENT}/config/versions/<version_number:number>"
CHECKPOINTS = f"{AGENT}/checkpoints"
CHECKPOINT = f"{CHECKPOINTS}/at/<str:checkpoint_id>"
APPROVAL = "console/<slug:slug>/approvals/<str:approval_id>"
MEMBER = "console/<slug:slug>/members/<str:user_id>"
MEMORY = "console/<slug:slug>/memories/at/<str:memory_id>"
ALERT = "console/<slug:slug>/alerts/<str:rule_id>"
WEBHOOK = "console/<slug:slug>/webhooks/<str:webhook_id>"
RETENTION = "console/<slug:slug>/keeping/policies/<str:policy_id>"
ERASURES = "console/<slug:slug>/keeping/erasures"
EXPORTS = "console/<slug:slug>/keeping/exports"
ERASURE_PREVIEW = f"{ERASURES}/previews/<str:erasure_preview_id>"
PLAN = "console/<slug:slug>/plans/<str:plan_id>"
INCIDENTS = "console/<slug:slug>/incidents"
INCIDENT = f"{INCIDENTS}/at/<str:incident_id>"
VERSION = f"{SESSION}/versions/<version_number:number>"

app_name = "console"
urlpatterns = [
    path("console/", home.home, name="home"),
    path("console", home.entrance, name="entrance"),
    path("console/components", components.components, name="components"),
    path("console/<slug:slug>", home.project, name="project"),
    path("console/<slug:slug>/first-session", home.first_session, name="first_session"),
    path("console/<slug:slug>/handover", watching.hand_over, name="hand_over"),
    path(
        "console/<slug:slug>/open/<str:kind>", open_items.open_items, name="open_items"
    ),
    path("console/<slug:slug>/sessions", sessions.sessions, name="sessions"),
    path(f"{SESSIONS}/narrow", sessions.sessions_narrow, name="sessions_narrow"),
    path(f"{SESSIONS}/views", saved_views.session_views, name="session_views"),
    path(f"{SESSIONS}/export", sessions.sessions_export, name="sessions_export"),
    path("console/<slug:slug>/meaning", meaning.meaning, name="meaning"),
    path("console/<slug:slug>/meaning/set", meaning.set_meaning, name="set_meaning"),
    path("console/<slug:slug>/plans", plans.plan_list, name="plans"),
    path("console/<slug:slug>/plans/make", plans.make_plan, name="make_plan"),
    path(PLAN, plans.plan, name="plan"),
    path(f"{PLAN}/confirm", plans.confirm_plan, name="confirm_plan"),
    path(f"{PLAN}/change", plans.change_plan, name="change_plan"),
    path(f"{PLAN}/retry", plans.retry_plan, name="retry_plan"),
    path(f"{PLAN}/undo", plans.undo_plan, name="undo_plan"),
    path(f"{PLAN}/export", plans.export_plan, name="export_plan"),
    path(INCIDENTS, incidents.incidents, name="incidents"),
    path(f"{INCIDENTS}/open", acting_on_incidents.open_incident, name="open_incident"),
    path(INCIDENT, incidents.incident, name="incident"),
    path(f"{INCIDENT}/report", incidents.incident_report, name="incident_report"),
    path(
        f"{INCIDENT}/report.md", incidents.incident_markdown, name="incident_markdown"
    ),
    path(f"{INCIDENT}/export", incidents.incident_export, name="incident_export"),
    path(
        f"{INCIDENT}/change",
        acting_on_incidents.change_incident,
        name="change_incident",
    ),
    path(f"{INCIDENT}/plan", acting_on_incidents.plan_incident, name="plan_incident"),
    path(f"{INCIDENT}/note", acting_on_incidents.note_incident, name="note_incident"),
    path(
        f"{INCIDENT}/narrow",
        acting_on_incidents.narrow_incident,
        name="narrow_incident",
    ),
    path("console/<slug:slug>/views", saved_views.save_view, name="save_view"),
    path("console/<slug:slug>/views/default", saved_views.open_with, name="open_with"),
    path(
        "console/<slug:slug>/views/<str:view_id>/delete",
        saved_views.delete_view,
        name="delete_view",
    ),
    path("console/<slug:slug>/members", members.members, name="members"),
    path("console/<slug:slug>/members/invite", members.invite, name="invite"),
    path(
        "console/<slug:slug>/members/invitations/<str:invitation_id>/withdraw",
        members.withdraw,
        name="withdraw_invitation",
    ),
    path(
        "console/<slug:slug>/members/second-factor",
        members.require_second_factor,
        name="require_second_factor",
    ),
    path(
        "console/<slug:slug>/members/rollback-reason",
        members.require_rollback_reason,
        name="require_rollback_reason",
    ),
    path(
        f"{MEMBER}/second-factor/reset",
        members.reset_second_factor,
        name="reset_second_factor",
    ),
    path(f"{MEMBER}/role", members.change_role, name="change_role"),
    path(f"{MEMBER}/remove", members.remove, name="remove_member"),
    path(f"{MEMBER}/unmasked", members.allow_unmasked, name="allow_unmasked"),
    path(f"{MEMBER}/signin-link", members.signin_link, name="make_signin_link"),
    path(f"{MEMBER}/password-link", members.password_link, name="make_password_link"),
    path("console/<slug:slug>/masks", masks.project_masks, name="masks"),
    path("console/<slug:slug>/masks/add", masks.add_mask, name="add_mask"),
    path("console/<slug:slug>/masks/remove", masks.remove_mask, name="remove_mask"),
    path("console/<slug:slug>/keys", keys.keys, name="keys"),
    path("console/<slug:slug>/keys/issue", keys.issue, name="issue_key"),
    path("console/<slug:slug>/keys/handling", keys.set_handling, name="set_handling"),
    path(
        "console/<slug:slug>/keys/<str:key_id>/revoke", keys.revoke, name="revoke_key"
    ),
    path("console/<slug:slug>/keeping", keeping.keeping, name="keeping"),
    path(
        "console/<slug:slug>/keeping/policies",
        keeping.make_policy,
        name="make_retention_policy",
    ),
    path(
        f"{RETENTION}/preview", keeping.preview_policy, name="preview_retention_policy"
    ),
    path(f"{RETENTION}/enable", keeping.enable_policy, name="enable_retention_policy"),
    path(
        f"{RETENTION}/disable", keeping.disable_policy, name="disable_retention_policy"
    ),
    path("console/<slug:slug>/keeping/holds", keeping.set_hold, name="set_legal_hold"),
    path(
        "console/<slug:slug>/keeping/holds/<str:hold_id>/end",
        keeping.end_hold,
        name="end_legal_hold",
    ),
    path(EXPORTS, exports.exports, name="exports"),
    path(f"{EXPORTS}/ask", exports.ask_export, name="ask_export"),
    path(
        f"{EXPORTS}/<str:history_export_id>/file",
        exports.export_file,
        name="export_file",
    ),
    path(ERASURES, erasures.erasures, name="erasures"),
    path(f"{ERASURES}/previews", erasures.preview_erasure, name="preview_erasure"),
    path(ERASURE_PREVIEW, erasures.erasure_preview, name="erasure_preview"),
    path(f"{ERASURE_PREVIEW}/begin", erasures.begin_erasure, name="begin_erasure"),
    path(f"{ERASURES}/<str:erasure_id>", erasures.erasure, name="erasure"),
    path(
        f"{ERASURES}/<str:erasure_id>/certificate",
        erasures.erasure_certificate,
        name="erasure_certificate",
    ),
    path("console/<slug:slug>/webhooks", webhooks.webhooks, name="webhooks"),
    path("console/<slug:slug>/webhooks/create", webhooks.create, name="create_webhook"),
    path(WEBHOOK, webhooks.webhook, name="webhook"),
    path(f"{WEBHOOK}/update", webhooks.update, name="update_webhook"),
    path(f"{WEBHOOK}/enable", webhooks.enable, name="enable_webhook"),
    path(f"{WEBHOOK}/disable", webhooks.disable, name="disable_webhook"),
    path(f"{WEBHOOK}/secret", webhooks.change_secret, name="webhook_secret"),
    path(f"{WEBHOOK}/test", webhooks.test, name="test_webhook"),
    path(f"{WEBHOOK}/delete", webhooks.delete, name="delete_webhook"),
    path(
        f"{WEBHOOK}/deliveries/<str:delivery_id>/resend",
        webhooks.resend,
        name="resend_delivery",
    ),
    path("console/<slug:slug>/memories", looking.memories, name="memories"),
    path(
        "console/<slug:slug>/memories/back",
        deciding.memories_back,
        name="memories_back",
    ),
    path(
        "console/<slug:slug>/memories/back/step",
        deciding.step_memories_back,
        name="step_memories_back",
    ),
    path(MEMORY, looking.memory_detail, name="memory"),
    path(f"{MEMORY}/decide", deciding.decide, name="decide_memory"),
    path("console/<slug:slug>/audit", audit.audit_log, name="audit_log"),
    path("console/<slug:slug>/audit/export", audit.audit_export, name="audit_export"),
    path("console/<slug:slug>/audit/verify", audit.audit_verify, name="audit_verify"),
    path("console/<slug:slug>/agents", agents.agent_list, name="agent_list"),
    path(AGENT, agents.agent_detail, name="agent_detail"),
    path(
        "console/<slug:slug>/policies", floor.project_policies, name="project_policies"
    ),
    path(
        "console/<slug:slug>/policies/set",
        floor.set_project_policies,
        name="set_project_policies",
    ),
    path(f"{AGENT}/data", agent_data.agent_data, name="agent_data"),
    path(f"{AGENT}/data/key", agent_data.agent_key, name="agent_key"),
    path(f"{AGENT}/config", agent_config.agent_config, name="agent_config"),
    path(CONFIG_VERSION, agent_config.config_version, name="config_version"),
    path(
        f"{CONFIG_VERSION}/rollback",
        agent_config.roll_back_config,
        name="roll_back_config",
    ),
    path(CHECKPOINTS, agent_checkpoints.agent_checkpoints, name="agent_checkpoints"),
    path(
        f"{CHECKPOINTS}/make",
        agent_checkpoints.make_checkpoint,
        name="make_checkpoint",
    ),
    path(
        f"{CHECKPOINTS}/schedule",
        agent_checkpoints.schedule_checkpoints,
        name="schedule_checkpoints",
    ),
    path(
        f"{CHECKPOINTS}/compare",
        agent_checkpoints.compare_checkpoints,
        name="compare_checkpoints",
    ),
    path(CHECKPOINT, agent_checkpoints.agent_checkpoint, name="agent_checkpoint"),
    path(
        f"{CHECKPOINT}/restore",
        agent_checkpoints.restore_checkpoint,
        name="restore_checkpoint",
    ),
    path(
        f"{CHECKPOINT}/delete",
        agent_checkpoints.delete_checkpoint,
        name="delete_checkpoint",
    ),
    path(f"{AGENT}/audit", agent_audit.agent_audit, name="agent_audit"),
    path(f"{AGENT}/audit/verify", agent_audit.agent_verify, name="agent_verify"),
    path(
        f"{AGENT}/audit/export",
        agent_audit.export_agent_audit,
        name="export_agent_audit",
    ),
    path(f"{AGENT}/blocked", exceptions.agent_blocked, name="agent_blocked"),
    path(
        f"{AGENT}/blocked/<version_number:blocked>/allow",
        exceptions.allow_blocked,
        name="allow_blocked",
    ),
    path(
        f"{AGENT}/exceptions/<str:exception_id>/end",
        exceptions.end_exception,
        name="end_exception",
    ),
    path(f"{AGENT}/watch", watching.watch_agent, name="watch_agent"),
    path(f"{AGENT}/unwatch", watching.unwatch_agent, name="unwatch_agent"),
    path(f"{AGENT}/mapping", mapping.agent_mapping, name="agent_mapping"),
    path(f"{AGENT}/formation", formation.set_formation, name="set_formation"),
    path(f"{AGENT}/suspend", agents.suspend, name="suspend_agent"),
    path(f"{AGENT}/activate", agents.activate, name="activate_agent"),
    path(f"{AGENT}/delete", agents.delete, name="delete_agent"),
    path("console/<slug:slug>/approvals", approvals.approvals, name="approvals"),
    path(APPROVAL, approvals.approval, name="approval"),
    path(f"{APPROVAL}/vote", deciding_approvals.vote, name="vote_on_approval"),
    path(
        f"{AGENT}/approval-rules",
        deciding_approvals.approval_rules,
        name="approval_rules",
    ),
    path(
        f"{AGENT}/approval-rules/<str:approval_rule_id>/delete",
        deciding_approvals.delete_approval_rule,
        name="delete_approval_rule",
    ),
    path(f"{AGENT}/schemas", schemas.agent_schemas, name="agent_schemas"),
    path(f"{AGENT}/migrations", schemas.agent_migrations, name="agent_migrations"),
    path(
        f"{AGENT}/schemas/<str:schema_id>/withdraw",
        schemas.withdraw_schema,
        name="withdraw_schema",
    ),
    path(
        f"{AGENT}/migrations/<str:migration_id>/withdraw",
        schemas.withdraw_migration,
        name="withdraw_migration",
    ),
    path(f"{AGENT}/budgets", budgets.budgets, name="budgets"),
    path(
        f"{AGENT}/budgets/<str:budget_id>/delete",
        budgets.delete_budget,
        name="delete_budget",
    ),
    path("console/<slug:slug>/metrics", metrics.metrics, name="metrics"),
    path(
        "console/<slug:slug>/metrics/export",
        metrics.metrics_export,
        name="metrics_export",
    ),
    path(
        "console/<slug:slug>/metrics/rollbacks/export",
        metrics.rollbacks_export,
        name="rollbacks_export",
    ),
    path(
        "console/<slug:slug>/metrics/rollbacks",
        metrics.metrics_rollbacks,
        name="metrics_rollbacks",
    ),
    path("console/<slug:slug>/alerts", alerts.alerts, name="alerts"),
    path("console/<slug:slug>/alerts/create", alerts.create, name="create_alert"),
    path(
        "console/<slug:slug>/alerts/weekly",
        weekly.choose_summary,
        name="choose_summary",
    ),
    path(
        "console/<slug:slug>/alerts/weekly/stop",
        weekly.stop_summary,
        name="stop_summary",
    ),
    path("console/<slug:slug>/alerts/new", alerts.new_alert, name="new_alert"),
    path("console/<slug:slug>/alerts/preview", alerts.preview, name="preview_alert"),
    path(ALERT, alerts.alert, name="alert"),
    path(f"{ALERT}/acknowledge", alerts.acknowledge, name="acknowledge_alert"),
    path(f"{ALERT}/update", alerts.update, name="update_alert"),
    path(f"{ALERT}/preview", alerts.preview_change, name="preview_alert_change"),
    path(f"{ALERT}/silence", alerts.silence, name="silence_alert"),
    path(f"{ALERT}/enable", alerts.enable, name="enable_alert"),
    path(f"{ALERT}/disable", alerts.disable, name="disable_alert"),
    path(f"{ALERT}/test", alerts.test, name="test_alert"),
    path(f"{ALERT}/delete", alerts.delete, name="delete_alert"),
    path("console/<slug:slug>/compare", comparison.compare, name="compare"),
    path(SESSION, detail.session_detail, name="session_detail"),
    path(f"{SESSION}/jump", detail.jump, name="jump"),
    path(f"{SESSION}/live", live.live, name="live"),
    path(f"{SESSION}/conversation", conversation.conversation, name="conversation"),
    path(f"{SESSION}/effects", effects.session_effects, name="session_effects"),
    path(
        f"{SESSION}/effects/<str:effect_id>/settle",
        effects.settle_effect,
        name="settle_effect",
    ),
    path(
        f"{SESSION}/effects/<str:effect_id>/compensation",
        effects.change_compensation,
        name="change_compensation",
    ),
    path(f"{SESSION}/memories", memories.session_memories, name="session_memories"),
    path(f"{SESSION}/proof", version.session_proof, name="session_proof"),
    path(f"{SESSION}/lineage", lineage.lineage, name="lineage"),
    path(f"{SESSION}/pause", holds.pause, name="pause"),
    path(f"{SESSION}/resume", holds.resume, name="resume"),
    path(f"{SESSION}/close", holds.close, name="close"),
    path(f"{SESSION}/bisect", bisecting.bisect, name="bisect"),
    path(f"{SESSION}/merge", merging.merge, name="merge"),
    path(f"{SESSION}/notes", holds.note, name="note"),
    path(f"{SESSION}/watch", watching.watch_session, name="watch_session"),
    path(f"{SESSION}/unwatch", watching.unwatch_session, name="unwatch_session"),
    path(f"{SESSION}/review", reviews.review, name="review"),
    path(VERSION, detail.version_detail, name="version_detail"),
    path(f"{VERSION}/state.json", version.version_state, name="version_state"),
    path(f"{VERSION}/files/<path:path>", version.version_file, name="version_file"),
    path(f"{VERSION}/value", version.value, name="value"),
    path(f"{VERSION}/blame", version.blamed, name="blame"),
    path(f"{VERSION}/rollback", rollbacks.rollback, name="rollback"),
    path(f"{VERSION}/undo", rollbacks.undo, name="undo"),
    path(f"{VERSION}/fork", forks.fork, name="fork"),
    path(f"{VERSION}/labels", holds.label, name="label"),
    path(f"{VERSION}/labels/remove", holds.unlabel, name="unlabel"),
]
