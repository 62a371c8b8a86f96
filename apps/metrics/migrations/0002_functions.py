from django.db import migrations

from apps.core import sql

FACTS = "(varchar, varchar, varchar, timestamptz, timestamptz)"


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0001_initial"),
        ("timeline", "0009_expiry"),
        ("audit", "0004_follow"),
    ]

    operations = [
        sql.create(
            "metrics",
            "set_aside_v1",
            drop="DROP FUNCTION metrics_set_aside_v1(varchar, bigint, bigint);",
        ),
        sql.create("metrics", "acts_v1", drop=f"DROP FUNCTION metrics_acts_v1{FACTS};"),
        sql.create("metrics", "sums_v1", drop=f"DROP FUNCTION metrics_sums_v1{FACTS};"),
        sql.create("metrics", "seen_v1", drop=f"DROP FUNCTION metrics_seen_v1{FACTS};"),
        sql.create(
            "metrics",
            "previous_v1",
            drop="DROP FUNCTION metrics_previous_v1"
            "(text, text, varchar, bigint, timestamptz);",
        ),
        sql.create(
            "metrics", "reaches_v1", drop=f"DROP FUNCTION metrics_reaches_v1{FACTS};"
        ),
    ]
