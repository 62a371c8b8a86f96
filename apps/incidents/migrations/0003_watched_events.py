"""Watch resolved incidents by events, not by sessions: a session may break later.

An event's id sorts by its time as a session's does, so what was looked into stays so.
"""

from django.db import migrations, models

BY_EVENTS = """
UPDATE incidents_incident SET watched_to = 'trace_' || substr(watched_to, 6)
 WHERE watched_to LIKE 'sess\\_%'
"""
BY_SESSIONS = """
UPDATE incidents_incident SET watched_to = 'sess_' || substr(watched_to, 7)
 WHERE watched_to LIKE 'trace\\_%'
"""


class Migration(migrations.Migration):
    dependencies = [("incidents", "0002_numbers")]

    operations = [
        migrations.AlterField(
            model_name="incident",
            name="watched_to",
            field=models.CharField(db_collation="C", max_length=32, null=True),
        ),
        migrations.RunSQL(BY_EVENTS, reverse_sql=BY_SESSIONS),
    ]
