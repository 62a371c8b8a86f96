from django.db import migrations

from apps.core import sql

FACTS = "(varchar, varchar, varchar, timestamptz, timestamptz)"
ARGUMENTS = {
    "acts": FACTS,
    "sums": FACTS,
    "laid": "(varchar, text)",
    "previous": "(text, text, varchar, bigint, timestamptz)",
    "seen": FACTS,
    "reaches": FACTS,
}
# In the order in which they need one another.
BEFORE = {"acts": 2, "sums": 2, "laid": 1, "previous": 2, "seen": 3, "reaches": 3}
AFTER = {"acts": 3, "sums": 3, "laid": 2, "previous": 3, "seen": 4, "reaches": 4}
# Hours that are kept say nothing of what was not told. Until a worker has added them up
# anew, whoever reads counts them from the facts.
DUE = """
INSERT INTO metrics_due (project_id, hour)
SELECT DISTINCT project_id, hour FROM metrics_sum ON CONFLICT DO NOTHING
"""


def created(name, version):
    drop = f"DROP FUNCTION metrics_{name}_v{version}{ARGUMENTS[name]};"
    return sql.create("metrics", f"{name}_v{version}", drop=drop)


def dropped(name, version):
    return migrations.RunSQL(
        f"DROP FUNCTION metrics_{name}_v{version}{ARGUMENTS[name]};",
        reverse_sql=[sql.statement("metrics", f"{name}_v{version}")],
    )


class Migration(migrations.Migration):
    dependencies = [("metrics", "0007_others")]

    operations = [
        *(dropped(name, BEFORE[name]) for name in reversed(BEFORE)),
        *(created(name, version) for name, version in AFTER.items()),
        migrations.RunSQL(DUE, reverse_sql=DUE),
    ]
