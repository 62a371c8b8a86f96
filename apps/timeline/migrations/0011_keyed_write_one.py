"""Write one entry of a keyed document by a function that is flat."""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0010_kept_words"),
        ("accounts", "0003_floor"),
    ]

    operations = [sql.create_function("timeline", "keyed_write_one_v1")]
