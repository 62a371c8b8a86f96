"""Keep what turns use, and the totals up to each of them."""

from django.db import migrations, models

from apps.core import sql

# In the order in which they need one another.
FUNCTIONS = ("append_v9", "append_batch_v9")
BEFORE = ("append_batch_v8", "append_v8")


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0023_migrating"),
    ]

    operations = [
        migrations.AddField(
            model_name="turn", name="usage", field=models.JSONField(null=True)
        ),
        migrations.AddField(
            model_name="turn", name="spent", field=models.JSONField(null=True)
        ),
        migrations.AddField(
            model_name="session",
            name="is_watched",
            field=models.BooleanField(db_default=False),
        ),
        *(sql.create_function("timeline", name) for name in FUNCTIONS),
        *(sql.drop_function("timeline", name) for name in BEFORE),
    ]
