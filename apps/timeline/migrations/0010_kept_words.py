"""List the sessions whose versions keep messages: their words are not indexed yet.

`manage.py rebuild_search` reads them; until then every search says how many there are.
"""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("timeline", "0009_summaries")]

    operations = [
        # There is nothing to reverse: to be listed costs a session one reading.
        sql.create_on_tables("timeline", "list_kept_words_v1"),
    ]
