"""Make the function that reads a key and records that."""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0006_due"),
        ("audit", "0002_streams"),
    ]

    operations = [sql.create_function("timeline", "keyed_read_v1")]
