"""Keep shared documents, and the leases under which they are written."""

from django.db import migrations, models

from apps.core import sql

# In the order in which they need one another.
FUNCTIONS = (
    *("fenced_v1", "lease_v1"),
    *("append_v10", "append_batch_v10", "create_session_v8", "remove_v2"),
)
BEFORE = ("append_batch_v9", "append_v9", "create_session_v7", "remove_v1")


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0024_usage"),
        # What says there that a session is an agent's is widened here.
        ("memory", "0001_initial"),
    ]

    operations = [
        migrations.AlterField(
            model_name="session",
            name="kind",
            field=models.CharField(
                choices=[
                    ("session", "Session"),
                    ("keyed", "Keyed"),
                    ("shared", "Shared"),
                ],
                default="session",
                max_length=16,
            ),
        ),
        migrations.CreateModel(
            name="Lease",
            fields=[
                (
                    "session_id",
                    models.CharField(
                        db_collation="C",
                        max_length=31,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("holder", models.TextField()),
                ("actor_id", models.TextField()),
                ("fence", models.BigIntegerField()),
                ("until", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("fence__gte", 1)),
                        name="timeline_lease_fence_from_one",
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=models.Q(("kind", "shared")),
                fields=["project_id", "external_id"],
                name="timeline_session_shared",
                opclasses=["varchar_ops", "text_pattern_ops"],
            ),
        ),
        sql.create_on_tables("timeline", "lease_table_v1"),
        *(sql.create_function("timeline", name) for name in FUNCTIONS),
        *(sql.drop_function("timeline", name) for name in BEFORE),
    ]
