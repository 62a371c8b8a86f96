"""What is open in a session, kept by the append: waiting, flagged, held."""

from django.db import migrations, models

from apps.core import sql


def _id() -> models.CharField:
    return models.CharField(db_collation="C", max_length=31)


def _drop(name: str) -> migrations.RunSQL:
    """Drop a function; to reverse it, bring it back."""
    return migrations.RunSQL(
        f"DROP FUNCTION timeline_{name}", reverse_sql=[sql.statement("timeline", name)]
    )


def _make(name: str) -> migrations.RunSQL:
    return sql.create("timeline", name, drop=f"DROP FUNCTION timeline_{name}")


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
        _make("most_flagged_v1"),
        _make("trim_flagged_v1"),
        _make("flag_v1"),
        _make("reflag_v1"),
        _make("set_open_v1"),
        # The batch calls the append, so it goes first and comes last.
        _drop("append_batch_v2"),
        _drop("append_v2"),
        _drop("create_session_v2"),
        _make("append_v3"),
        _make("append_batch_v3"),
        _make("create_session_v3"),
    ]
