"""What search reads: terms, texts, and b-trees over the changes in page order.

It decodes no body, so sessions that are there already are listed as unsearched, and
`manage.py rebuild_search` reads them afterwards.
"""

import django.contrib.postgres.search
from django.db import migrations, models

from apps.core import sql

BATCH = "DROP FUNCTION timeline_append_batch_v1"
APPEND = "DROP FUNCTION timeline_append_v1"
CREATE = "DROP FUNCTION timeline_create_session_v1"
INDEXES = """
DROP INDEX timeline_text_words;
DROP INDEX timeline_term_by_any_value;
DROP INDEX timeline_term_by_value_at_path;
DROP INDEX timeline_change_by_path;
DROP INDEX timeline_change_by_any_value;
DROP INDEX timeline_change_by_value_at_path;
"""
FACETS = """
CREATE INDEX timeline_session_facets
    ON timeline_session USING gin (facets jsonb_path_ops)
"""


def _id(**options: object) -> models.CharField:
    return models.CharField(db_collation="C", max_length=31, **options)


def _key(*columns: str) -> models.CompositePrimaryKey:
    return models.CompositePrimaryKey(
        *columns, blank=True, editable=False, primary_key=True, serialize=False
    )


class Migration(migrations.Migration):
    dependencies = [("timeline", "0005_blame_indexes")]

    operations = [
        migrations.CreateModel(
            name="Term",
            fields=[
                ("pk", _key("session_id", "path_key")),
                ("session_id", _id()),
                ("path_key", models.BinaryField()),
                ("value_key", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="Text",
            fields=[
                ("pk", _key("session_id", "kind", "number")),
                ("session_id", _id()),
                ("kind", models.SmallIntegerField()),
                ("number", models.BigIntegerField()),
                ("words", django.contrib.postgres.search.SearchVectorField()),
            ],
        ),
        migrations.CreateModel(
            name="Unsearched",
            fields=[
                ("session_id", _id(primary_key=True, serialize=False)),
                ("project_id", _id()),
            ],
        ),
        migrations.AddIndex(
            model_name="unsearched",
            index=models.Index(
                fields=["project_id", "-session_id"], name="timeline_unsearched_newest"
            ),
        ),
        migrations.RemoveIndex(model_name="change", name="timeline_change_by_value"),
        migrations.RunSQL("DROP INDEX timeline_session_facets", reverse_sql=FACETS),
        sql.create("timeline", "search_indexes_v1", drop=INDEXES),
        sql.create(
            "timeline",
            "search_words_v1",
            drop="DROP FUNCTION timeline_words_v1",
        ),
        sql.create(
            "timeline",
            "search_note_text_v1",
            drop="DROP FUNCTION timeline_note_text_v1",
        ),
        sql.create(
            "timeline",
            "search_set_terms_v1",
            drop="DROP FUNCTION timeline_set_terms_v1",
        ),
        # The batch calls the append, so it goes first and comes last.
        migrations.RunSQL(
            BATCH, reverse_sql=[sql.statement("timeline", "append_batch_v1")]
        ),
        migrations.RunSQL(APPEND, reverse_sql=[sql.statement("timeline", "append_v1")]),
        migrations.RunSQL(
            CREATE, reverse_sql=[sql.statement("timeline", "create_session_v1")]
        ),
        sql.create("timeline", "append_v2", drop="DROP FUNCTION timeline_append_v2"),
        sql.create(
            "timeline",
            "append_batch_v2",
            drop="DROP FUNCTION timeline_append_batch_v2",
        ),
        sql.create(
            "timeline",
            "create_session_v2",
            drop="DROP FUNCTION timeline_create_session_v2",
        ),
        sql.create(
            "timeline",
            "search_before_v1",
            drop="DELETE FROM timeline_unsearched",
        ),
    ]
