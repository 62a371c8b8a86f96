"""A shorter list of words that wait for their place in the index."""

from django.db import migrations

from apps.core import sql

BEFORE = "ALTER INDEX timeline_text_words SET (gin_pending_list_limit = 256)"


class Migration(migrations.Migration):
    dependencies = [("timeline", "0007_notes")]

    operations = [sql.create("timeline", "search_pending_v1", drop=BEFORE)]
