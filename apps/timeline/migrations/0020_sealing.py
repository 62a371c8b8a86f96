"""Let retention seal what stood in clear, and keep what is sealed out of the words."""

from django.db import migrations

from apps.core import sql

# It was made under another name than its file has.
NOTE_TEXT = migrations.RunSQL(
    [sql.statement("timeline", "search_note_text_v2")],
    reverse_sql="DROP FUNCTION timeline_note_text_v2",
)
NO_NOTE_TEXT = migrations.RunSQL(
    "DROP FUNCTION timeline_note_text_v1",
    reverse_sql=[sql.statement("timeline", "search_note_text_v1")],
)


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0019_keeping"),
    ]

    operations = [
        sql.create_function("timeline", "is_sealed_v1"),
        sql.create_function("timeline", "keep_the_rest_v2"),
        sql.create(
            "timeline",
            "keeping_triggers_v2",
            drop=sql.statement("timeline", "keeping_triggers_v1"),
        ),
        sql.drop_function("timeline", "keep_the_rest_v1"),
        sql.create(
            "timeline",
            "text_current_v2",
            drop=sql.statement("timeline", "text_current_v1"),
        ),
        NOTE_TEXT,
        NO_NOTE_TEXT,
        sql.create_function("timeline", "project_v2"),
        sql.drop_function("timeline", "project_v1"),
    ]
