from django.db import migrations

# Sessions in which a rollback was taken back, found through the index of rollbacks.
RECOUNT = """
UPDATE timeline_session s SET rollback_count = counted.rollbacks
  FROM (SELECT v.session_id, count(*) FILTER (WHERE {counts}) AS rollbacks
          FROM timeline_version v
         WHERE v.restored_number IS NOT NULL
         GROUP BY v.session_id
        HAVING bool_or(v.undo_of IS NOT NULL)) AS counted
 WHERE s.id = counted.session_id
"""


class Migration(migrations.Migration):
    """What takes a rollback back is no rollback: lists count as metrics do."""

    dependencies = [("timeline", "0013_names")]

    operations = [
        migrations.RunSQL(
            RECOUNT.format(counts="v.undo_of IS NULL"),
            reverse_sql=RECOUNT.format(counts="true"),
        ),
    ]
