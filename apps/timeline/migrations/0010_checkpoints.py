"""Pending writes of checkpointers, and marks on what they have deleted."""

from django.db import migrations, models

from apps.core import sql

DROP = """
DROP TRIGGER timeline_hiddenversions_is_immutable ON timeline_hiddenversions;
ALTER TABLE timeline_hiddenversions
 DROP CONSTRAINT timeline_hiddenversions_session_fk;
DROP TRIGGER timeline_pendingwrite_is_immutable ON timeline_pendingwrite;
ALTER TABLE timeline_pendingwrite DROP CONSTRAINT timeline_pendingwrite_session_fk;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0009_expiry"),
    ]

    operations = [
        migrations.CreateModel(
            name="HiddenVersions",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "first_number",
                        "last_number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("first_number", models.BigIntegerField()),
                ("last_number", models.BigIntegerField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="PendingWrite",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "checkpoint_id",
                        "task_id",
                        "index",
                        "attempt",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("checkpoint_id", models.CharField(db_collation="C", max_length=255)),
                ("task_id", models.CharField(db_collation="C", max_length=255)),
                ("index", models.IntegerField()),
                ("attempt", models.IntegerField()),
                ("task_path", models.TextField()),
                ("channel", models.TextField()),
                ("type", models.TextField()),
                ("data", models.BinaryField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        sql.create("timeline", "pending_writes_v1", drop=DROP),
    ]
