"""List the sessions with a version that says no reason: they are not tagged so yet.

`manage.py rebuild_search` tags them; until then every search says how many there are.
"""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("timeline", "0017_results")]

    operations = [
        # There is nothing to reverse: to be listed costs a session one reading.
        sql.create_on_tables("timeline", "list_unreasoned_v1"),
    ]
