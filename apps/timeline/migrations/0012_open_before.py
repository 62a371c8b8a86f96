"""What is open in sessions from before there was a table of it.

Some sessions at a time, each in a transaction of its own under the sessions' locks, so
that it can run beside writers, which keep the table already; and each statement adds
only what is missing, so that it can be stopped and started again.
"""

from django.db import migrations, transaction

from apps.core import sql

AT_ONCE = 500
NEXT = """
SELECT id FROM timeline_session WHERE id > %s ORDER BY id LIMIT %s FOR NO KEY UPDATE
"""


def fill(apps, schema_editor) -> None:
    statements = [
        sql.statement("timeline", name)
        for name in ("recount_open_v1", "open_before_v1")
    ]
    connection = schema_editor.connection
    after = ""
    while True:
        with transaction.atomic(connection.alias), connection.cursor() as cursor:
            cursor.execute(NEXT, [after, AT_ONCE])
            ids = [session_id for (session_id,) in cursor.fetchall()]
            for statement in statements:
                cursor.execute(statement, {"sessions": ids})
        if len(ids) < AT_ONCE:
            return
        after = ids[-1]


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("timeline", "0011_open")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
