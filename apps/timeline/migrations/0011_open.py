"""What is open in a session, kept by the append: waiting, flagged, held."""

from django.db import migrations, models

from apps.core import sql


def _id() -> models.CharField:
    return models.CharField(db_collation="C", max_length=31)


class Migration(migrations.Migration):
    dependencies = [("timeline", "0010_checkpoints")]

    operations = [
        migrations.CreateModel(
            name="Open",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "kind",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", _id()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("flagged", "Flagged"),
                            ("held", "Held"),
                            ("unread", "Unread"),
                        ],
                        db_collation="C",
                        max_length=8,
                    ),
                ),
                ("number", models.BigIntegerField()),
                ("project_id", _id()),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["project_id", "kind", "at", "session_id", "number"],
                        name="timeline_open_newest",
                    )
                ],
            },
        ),
        sql.create_function("timeline", "most_flagged_v1"),
        sql.create_function("timeline", "trim_flagged_v1"),
        sql.create_function("timeline", "flag_v1"),
        sql.create_function("timeline", "reflag_v1"),
        sql.create_function("timeline", "set_open_v1"),
        # The batch calls the append, so it goes first and comes last.
        sql.drop_function("timeline", "append_batch_v2"),
        sql.drop_function("timeline", "append_v2"),
        sql.drop_function("timeline", "create_session_v2"),
        sql.create_function("timeline", "append_v3"),
        sql.create_function("timeline", "append_batch_v3"),
        sql.create_function("timeline", "create_session_v3"),
    ]
