"""The indexes that keep blame flat at any length of a session."""

from django.db import migrations

from apps.core import sql

INDEXES = """
DROP INDEX timeline_turn_by_version;
DROP INDEX timeline_version_truncated;
DROP INDEX timeline_change_shifts;
"""


class Migration(migrations.Migration):
    dependencies = [("timeline", "0004_batches")]

    operations = [sql.create("timeline", "blame_indexes_v1", drop=INDEXES)]
