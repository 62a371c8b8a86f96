from django.db import migrations, models

from apps.core import sql

FACTS = "(varchar, varchar, varchar, timestamptz, timestamptz)"
COLUMNS = ("tool_calls", "tool_errors", "timed", "latency_ms")
# In the order in which they need one another.
FUNCTIONS = ("acts", "sums", "seen", "reaches")


def dropped(name):
    """Drop the version before; what is kept by hour says nothing of tools yet."""
    return migrations.RunSQL(
        f"DROP FUNCTION metrics_{name}_v1{FACTS};",
        reverse_sql=[sql.statement("metrics", f"{name}_v1")],
    )


class Migration(migrations.Migration):
    dependencies = [("metrics", "0003_alerts")]

    operations = [
        *(
            migrations.AddField("sum", name, models.BigIntegerField(db_default=0))
            for name in COLUMNS
        ),
        *(dropped(name) for name in reversed(FUNCTIONS)),
        *(
            sql.create(
                "metrics", f"{name}_v2", drop=f"DROP FUNCTION metrics_{name}_v2{FACTS};"
            )
            for name in FUNCTIONS
        ),
    ]
