"""The rows of webhooks that records cover: where each leads, and what it is told.

Not how its attempts went: no record says that.
"""

from apps.audit.covered import Covered

WEBHOOK = Covered(
    kind="webhook",
    columns=(
        "url",
        "description",
        "format",
        "kinds",
        "status",
        "salt",
        "secret_prefix",
        "old_salt",
        "old_secret_until",
        "since",
    ),
    key=lambda webhook: str(webhook.id),
    named=lambda key: f"webhook {key}",
    present="""
    SELECT w.id AS key, w.created_at AS made_at, w.url, w.description, w.format,
           w.kinds, w.status, w.salt, w.secret_prefix, w.old_salt,
           w.old_secret_until, w.since
      FROM webhooks_subscription w WHERE w.project_id = %(project)s
    """,
)
