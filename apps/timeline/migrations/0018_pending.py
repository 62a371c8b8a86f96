"""An append leaves change rows, terms and texts to the projector, in one row."""

import django.contrib.postgres.fields
from django.db import migrations, models

from apps.core import sql


def _id() -> models.CharField:
    return models.CharField(db_collation="C", max_length=31)


def _list_of(
    field: models.Field, *, null: bool = False
) -> django.contrib.postgres.fields.ArrayField:
    return django.contrib.postgres.fields.ArrayField(
        base_field=field, null=null, size=None
    )


VIEWS = "timeline_change_current, timeline_term_current, timeline_text_current"


class Migration(migrations.Migration):
    dependencies = [("timeline", "0017_without_foreign_keys")]

    operations = [
        migrations.CreateModel(
            name="Pending",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "number",
                        "turn_number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", _id()),
                ("number", models.BigIntegerField()),
                ("turn_number", models.BigIntegerField()),
                ("first_number", models.BigIntegerField(null=True)),
                ("project_id", _id()),
                ("at", models.DateTimeField()),
                ("event_ids", _list_of(models.TextField())),
                ("items", _list_of(models.IntegerField(), null=True)),
                ("path_keys", _list_of(models.BinaryField())),
                ("roles", _list_of(models.SmallIntegerField())),
                ("kinds", _list_of(models.SmallIntegerField())),
                ("value_keys", _list_of(models.BinaryField(null=True))),
                ("term_keys", _list_of(models.BinaryField())),
                ("term_values", _list_of(models.BinaryField(null=True))),
                ("turn_text", models.TextField(null=True)),
            ],
        ),
        # Rows live for a moment: without this they would be dead ones in the way.
        migrations.RunSQL(
            "ALTER TABLE timeline_pending SET (autovacuum_vacuum_scale_factor = 0,"
            " autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0,"
            " autovacuum_analyze_threshold = 5000)",
            migrations.RunSQL.noop,
        ),
        sql.create("timeline", "current_views_v1", drop=f"DROP VIEW {VIEWS}"),
        sql.create_function("timeline", "take_pending_v1"),
        sql.create_function("timeline", "project_v1"),
        # Of a database that was made between two releases.
        *(
            migrations.RunSQL(
                f"DROP FUNCTION IF EXISTS timeline_{name}_v4", migrations.RunSQL.noop
            )
            for name in ("append_batch", "append", "create_session")
        ),
        # The functions take typed parameters; 0019 makes those that append.
        sql.create_function("timeline", "create_session_v5"),
    ]
