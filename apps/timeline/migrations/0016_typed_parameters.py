"""Drop the functions that took JSON with hex text; 0018 makes the typed ones.

What stood between them was never released.
"""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0015_refuse_by_role"),
        ("accounts", "0005_generation"),
    ]

    operations = [
        # The batch calls the append, so it goes first.
        sql.drop_function("timeline", "append_batch_v3"),
        sql.drop_function("timeline", "append_v3"),
        sql.drop_function("timeline", "create_session_v3"),
    ]
