"""Count the versions of every act that makes one, and who was active by them."""

from django.db import migrations

from apps.core import sql

# In the order in which they need one another.
FUNCTIONS = ("acts_v5", "sums_v5", "seen_v6", "reaches_v6")
BEFORE = ("reaches_v5", "seen_v5", "sums_v4", "acts_v4")


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0007_released"),
    ]

    operations = [
        *(sql.create_function("metrics", name) for name in FUNCTIONS),
        *(sql.drop_function("metrics", name) for name in BEFORE),
    ]
