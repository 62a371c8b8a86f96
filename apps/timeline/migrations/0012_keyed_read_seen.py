"""Read a key without the body that its reader has."""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("timeline", "0011_keyed_write_one")]

    operations = [
        sql.create_function("timeline", "keyed_read_v2"),
        sql.drop_function("timeline", "keyed_read_v1"),
        sql.drop_function("timeline", "keyed_restore_v1"),
    ]
