"""Foreign keys inside a session, and the functions that write."""

from django.db import migrations

from apps.core import sql

APPEND = "DROP FUNCTION timeline_append_v1"
CREATE = "DROP FUNCTION timeline_create_session_v1"


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0001_initial"),
        ("agents", "0001_initial"),
        ("audit", "0001_initial"),
    ]

    operations = [
        sql.create(
            "timeline", "keys_v1", drop=sql.statement("timeline", "keys_v1_drop")
        ),
        sql.create("timeline", "append_v1", drop=APPEND),
        sql.create("timeline", "create_session_v1", drop=CREATE),
    ]
