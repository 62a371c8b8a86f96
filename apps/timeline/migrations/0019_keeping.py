"""Make tombstones, and keep in a fork's own row what its chain goes on from."""

from django.db import migrations, models

from apps.core import sql

# They stand on tables that stay, and need the functions that go.
TRIGGERS_GO = """
DROP TRIGGER timeline_tombstone_is_immutable ON timeline_tombstone;
DROP TRIGGER timeline_tombstone_is_not_emptied ON timeline_tombstone;
DROP TRIGGER timeline_version_keeps_the_rest ON timeline_version;
DROP TRIGGER timeline_body_keeps_the_rest ON timeline_body;
DROP TRIGGER timeline_turn_keeps_the_rest ON timeline_turn;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0018_unreasoned"),
    ]

    operations = [
        migrations.CreateModel(
            name="Tombstone",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "kind",
                        "first_number",
                        "event_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("emptied", "Emptied"),
                            ("pruned", "Pruned"),
                            ("removed", "Removed"),
                        ],
                        db_collation="C",
                        max_length=8,
                    ),
                ),
                ("first_number", models.BigIntegerField()),
                ("last_number", models.BigIntegerField()),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("count", models.BigIntegerField()),
                ("chain_before", models.BinaryField()),
                ("chain_after", models.BinaryField()),
                ("leaves_digest", models.BinaryField()),
                ("rollbacks", models.BigIntegerField()),
                ("turns", models.BigIntegerField()),
                ("first_turn", models.BigIntegerField()),
                ("last_turn", models.BigIntegerField()),
                ("turn_chain_before", models.BinaryField(null=True)),
                ("turn_chain_after", models.BinaryField(null=True)),
                ("turn_leaves_digest", models.BinaryField(null=True)),
                ("reason", models.TextField()),
                ("removal_id", models.CharField(db_collation="C", max_length=31)),
                ("event_id", models.CharField(db_collation="C", max_length=32)),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="session",
            name="erasures",
            field=models.BigIntegerField(db_default=0),
        ),
        migrations.AddField(
            model_name="session",
            name="origin_chain",
            field=models.BinaryField(null=True),
        ),
        migrations.AddField(
            model_name="session",
            name="thinned_below",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=models.Q(("thinned_below__isnull", False)),
                fields=["project_id", "-id"],
                name="timeline_session_thinned",
            ),
        ),
        migrations.AddIndex(
            model_name="body",
            index=models.Index(
                condition=models.Q(("base_number__isnull", False)),
                fields=["session_id", "base_number"],
                name="timeline_body_building",
            ),
        ),
        migrations.AddIndex(
            model_name="version",
            index=models.Index(
                fields=["session_id", "body_number"], name="timeline_version_showing"
            ),
        ),
        migrations.AddConstraint(
            model_name="tombstone",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("first_number__gte", 0),
                    ("last_number__gte", models.F("first_number")),
                ),
                name="timeline_tombstone_is_of_a_range",
            ),
        ),
        migrations.AddIndex(
            model_name="tombstone",
            index=models.Index(fields=["created_at"], name="timeline_tombstone_by_age"),
        ),
        sql.create_function("timeline", "refuse_change_v1"),
        sql.create_function("timeline", "keep_the_rest_v1"),
        sql.create("timeline", "keeping_tables_v1", drop=TRIGGERS_GO),
        # There is nothing to reverse: the column goes.
        sql.create_on_tables("timeline", "origin_chains_v1"),
        sql.create_function("timeline", "create_session_v7"),
        sql.drop_function("timeline", "create_session_v6"),
        sql.create_function("timeline", "empty_bodies_v1"),
        sql.create_function("timeline", "empty_v1"),
        sql.create_function("timeline", "prune_v1"),
        sql.create_function("timeline", "remove_v1"),
    ]
