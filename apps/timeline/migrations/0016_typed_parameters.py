"""The ledger's functions take typed parameters, where they took JSON with hex text.

An append names its head's chain value, and its API key is checked under the lock.
"""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0015_refuse_by_role"),
        ("accounts", "0005_generation"),
    ]

    operations = [
        # The batch calls the append, so it goes first and comes last.
        sql.drop_function("timeline", "append_batch_v3"),
        sql.drop_function("timeline", "append_v3"),
        sql.drop_function("timeline", "create_session_v3"),
        sql.create_function("timeline", "append_v4"),
        sql.create_function("timeline", "append_batch_v4"),
        sql.create_function("timeline", "create_session_v4"),
    ]
