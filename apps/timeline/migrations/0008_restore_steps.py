"""Let a restore of a keyed document go by steps: each takes some of the keys."""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("timeline", "0007_keyed_read")]

    operations = [
        sql.create_function("timeline", "keyed_restored_v2"),
        sql.create_function("timeline", "keyed_restore_v2"),
    ]
