"""Refuses changes of versions and bodies; apart, because Citus needs a flag for it."""

from django.db import migrations

from apps.core import sql

TRIGGERS = """
DROP TRIGGER timeline_body_is_immutable ON timeline_body;
DROP TRIGGER timeline_version_is_immutable ON timeline_version;
"""


class Migration(migrations.Migration):
    dependencies = [("timeline", "0002_keys_and_functions")]

    operations = [
        sql.create(
            "timeline", "immutable_v1", drop="DROP FUNCTION timeline_refuse_change_v1"
        ),
        sql.create("timeline", "immutable_triggers_v1", drop=TRIGGERS),
    ]
