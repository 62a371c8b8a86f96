"""Let retention move bodies into archives outside the database, and back."""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0020_sealing"),
    ]

    operations = [
        sql.create_function("timeline", "keep_the_rest_v3"),
        sql.create(
            "timeline",
            "keeping_triggers_v3",
            drop=sql.statement("timeline", "keeping_triggers_v2"),
        ),
        sql.drop_function("timeline", "keep_the_rest_v2"),
    ]
