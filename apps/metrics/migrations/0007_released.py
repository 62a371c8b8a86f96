"""Lay turns to the release that the agent wrote with, whoever wrote since."""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0006_worked"),
    ]

    operations = [
        *(
            sql.create_function("metrics", name)
            for name in ("release_v1", "worked_turns_v2", "worked_v2")
        ),
        *(
            sql.drop_function("metrics", name)
            for name in ("worked_v1", "worked_turns_v1")
        ),
    ]
