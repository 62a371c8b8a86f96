"""List the sessions whose states hold messages: their words are not indexed yet.

`manage.py rebuild_search` reads them; until then every search says how many there are.
"""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("timeline", "0015_waits")]

    operations = [
        # There is nothing to reverse: to be listed costs a session one reading.
        sql.create_on_tables("timeline", "list_state_words_v1"),
    ]
