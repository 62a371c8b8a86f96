"""List the sessions whose head has tasks or a schema: they are not found by these yet.

`manage.py rebuild_search` tags them; until then every search says how many there are.
"""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0025_shared"),
        ("accounts", "0006_encrypting"),
    ]

    operations = [
        # There is nothing to reverse: to be listed costs a session one reading.
        sql.create_on_tables("timeline", "list_tasked_v1"),
    ]
