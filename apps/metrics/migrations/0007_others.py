from django.db import migrations

from apps.core import sql

FACTS = "(varchar, varchar, varchar, timestamptz, timestamptz)"
ARGUMENTS = {
    "laid": "(varchar, text)",
    "previous": "(text, text, varchar, bigint, timestamptz)",
    "seen": FACTS,
    "reaches": FACTS,
}


def created(name, version):
    drop = f"DROP FUNCTION metrics_{name}_v{version}{ARGUMENTS[name]};"
    return sql.create("metrics", f"{name}_v{version}", drop=drop)


def dropped(name, version):
    return migrations.RunSQL(
        f"DROP FUNCTION metrics_{name}_v{version}{ARGUMENTS[name]};",
        reverse_sql=[sql.statement("metrics", f"{name}_v{version}")],
    )


class Migration(migrations.Migration):
    """Hours that are kept stay as they are: `rebuild_rollups` bounds them too."""

    dependencies = [("metrics", "0006_is_told")]

    operations = [
        dropped("reaches", 2),
        dropped("seen", 2),
        dropped("previous", 1),
        created("laid", 1),
        created("previous", 2),
        created("seen", 3),
        created("reaches", 3),
    ]
