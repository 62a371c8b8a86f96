"""Count sessions that ended or asked for a human, and how long turns took at most."""

from django.db import migrations, models

from apps.core import sql

# In the order in which they need one another.
FUNCTIONS = ("acts_v4", "sums_v4", "previous_v4", "seen_v5", "reaches_v5")
BEFORE = ("reaches_v4", "seen_v4", "previous_v3", "sums_v3", "acts_v3")


class Migration(migrations.Migration):
    dependencies = [("metrics", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="sum",
            name="latency_max",
            field=models.BigIntegerField(db_default=0),
        ),
        migrations.AddField(
            model_name="sum",
            name="counted_by",
            field=models.SmallIntegerField(db_default=1),
        ),
        *(sql.create_function("metrics", name) for name in FUNCTIONS),
        *(sql.drop_function("metrics", name) for name in BEFORE),
    ]
