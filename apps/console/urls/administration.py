"""Pages of administration: people, keys, keeping, webhooks, alerts."""

from django.urls import path

from apps.console.urls.addresses import PROJECT
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

MEMBER = f"{PROJECT}/members/<str:user_id>"
ALERT = f"{PROJECT}/alerts/<str:rule_id>"
WEBHOOK = f"{PROJECT}/webhooks/<str:webhook_id>"
RETENTION = f"{PROJECT}/keeping/policies/<str:policy_id>"
ERASURES = f"{PROJECT}/keeping/erasures"
EXPORTS = f"{PROJECT}/keeping/exports"
ERASURE_PREVIEW = f"{ERASURES}/previews/<str:erasure_preview_id>"

urlpatterns = [
    path(f"{PROJECT}/members", members.members, name="members"),
    path(f"{PROJECT}/members/invite", members.invite, name="invite"),
    path(
        f"{PROJECT}/members/invitations/<str:invitation_id>/withdraw",
        members.withdraw,
        name="withdraw_invitation",
    ),
    path(
        f"{PROJECT}/members/second-factor",
        members.require_second_factor,
        name="require_second_factor",
    ),
    path(
        f"{PROJECT}/members/rollback-reason",
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
    path(f"{PROJECT}/masks", masks.project_masks, name="masks"),
    path(f"{PROJECT}/masks/add", masks.add_mask, name="add_mask"),
    path(f"{PROJECT}/masks/remove", masks.remove_mask, name="remove_mask"),
    path(f"{PROJECT}/keys", keys.keys, name="keys"),
    path(f"{PROJECT}/keys/issue", keys.issue, name="issue_key"),
    path(f"{PROJECT}/keys/handling", keys.set_handling, name="set_handling"),
    path(f"{PROJECT}/keys/<str:key_id>/revoke", keys.revoke, name="revoke_key"),
    path(f"{PROJECT}/keeping", keeping.keeping, name="keeping"),
    path(
        f"{PROJECT}/keeping/policies",
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
    path(f"{PROJECT}/keeping/holds", keeping.set_hold, name="set_legal_hold"),
    path(
        f"{PROJECT}/keeping/holds/<str:hold_id>/end",
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
    path(f"{PROJECT}/webhooks", webhooks.webhooks, name="webhooks"),
    path(f"{PROJECT}/webhooks/create", webhooks.create, name="create_webhook"),
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
    path(f"{PROJECT}/alerts", alerts.alerts, name="alerts"),
    path(f"{PROJECT}/alerts/create", alerts.create, name="create_alert"),
    path(
        f"{PROJECT}/alerts/weekly",
        weekly.choose_summary,
        name="choose_summary",
    ),
    path(
        f"{PROJECT}/alerts/weekly/stop",
        weekly.stop_summary,
        name="stop_summary",
    ),
    path(f"{PROJECT}/alerts/new", alerts.new_alert, name="new_alert"),
    path(f"{PROJECT}/alerts/preview", alerts.preview, name="preview_alert"),
    path(ALERT, alerts.alert, name="alert"),
    path(f"{ALERT}/acknowledge", alerts.acknowledge, name="acknowledge_alert"),
    path(f"{ALERT}/update", alerts.update, name="update_alert"),
    path(f"{ALERT}/preview", alerts.preview_change, name="preview_alert_change"),
    path(f"{ALERT}/silence", alerts.silence, name="silence_alert"),
    path(f"{ALERT}/enable", alerts.enable, name="enable_alert"),
    path(f"{ALERT}/disable", alerts.disable, name="disable_alert"),
    path(f"{ALERT}/test", alerts.test, name="test_alert"),
    path(f"{ALERT}/delete", alerts.delete, name="delete_alert"),
]
