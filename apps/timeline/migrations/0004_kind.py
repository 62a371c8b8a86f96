"""Append to sessions alone."""

from django.db import migrations, models

from apps.core import sql

# In the order in which they need one another.
FUNCTIONS = ("append_v7", "append_batch_v7")
BEFORE = ("append_batch_v6", "append_v6")


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0003_withdrawn"),
    ]

    operations = [
        migrations.AlterField(
            model_name="session",
            name="kind",
            field=models.CharField(
                choices=[("session", "Session"), ("keyed", "Keyed")],
                default="session",
                max_length=16,
            ),
        ),
        *(sql.create_function("timeline", name) for name in FUNCTIONS),
        *(sql.drop_function("timeline", name) for name in BEFORE),
    ]
