"""Roll up turns, tools' calls and minutes by release, which budgets are held to."""

from django.db import migrations, models

from apps.core import sql

# What was rolled up without them is added up again as far back as a budget may count
# that begins now: to the beginning of this month. Until then it is counted live.
ROLL_UP_AGAIN = """
INSERT INTO metrics_due (project_id, hour)
SELECT DISTINCT project_id, hour FROM metrics_sum
 WHERE hour >= date_trunc('month', now(), 'UTC') AND turns > 0
ON CONFLICT DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0005_usage"),
        ("timeline", "0026_tasked"),
    ]

    operations = [
        migrations.CreateModel(
            name="Worked",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "hour",
                        "agent_id",
                        "release",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("hour", models.DateTimeField()),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("release", models.CharField(db_collation="C", max_length=200)),
                ("turns", models.BigIntegerField()),
                ("tool_calls", models.BigIntegerField()),
                ("lasted_us", models.BigIntegerField()),
            ],
        ),
        sql.create_function("metrics", "worked_turns_v1"),
        sql.create_function("metrics", "worked_v1"),
        migrations.RunSQL(ROLL_UP_AGAIN, migrations.RunSQL.noop),
    ]
