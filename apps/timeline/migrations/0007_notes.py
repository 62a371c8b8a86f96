"""Notes, and the indexes that the page of one session reads."""

from django.db import migrations, models

from apps.core import sql

NOTES = """
DROP TRIGGER timeline_note_is_immutable ON timeline_note;
ALTER TABLE timeline_note DROP CONSTRAINT timeline_note_version_fk;
ALTER TABLE timeline_note DROP CONSTRAINT timeline_note_session_fk;
"""
INDEXES = """
DROP INDEX timeline_version_flagged;
DROP INDEX timeline_turn_by_head;
CREATE INDEX timeline_turn_by_version ON timeline_turn (session_id, head_number)
 WHERE made_version;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0006_search"),
    ]

    operations = [
        migrations.CreateModel(
            name="Note",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField(null=True)),
                ("text", models.TextField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["session_id", "number"], name="timeline_note_by_version"
                    )
                ],
            },
        ),
        sql.create("timeline", "notes_v1", drop=NOTES),
        sql.create("timeline", "session_page_indexes_v1", drop=INDEXES),
    ]
