from django.db import migrations

from apps.core import sql

ARGUMENTS = "(varchar, varchar, varchar, timestamptz, timestamptz)"


def created(name, version):
    drop = f"DROP FUNCTION metrics_{name}_v{version}{ARGUMENTS};"
    return sql.create("metrics", f"{name}_v{version}", drop=drop)


def dropped(name, version):
    return migrations.RunSQL(
        f"DROP FUNCTION metrics_{name}_v{version}{ARGUMENTS};",
        reverse_sql=[sql.statement("metrics", f"{name}_v{version}")],
    )


class Migration(migrations.Migration):
    dependencies = [("metrics", "0007_others")]

    operations = [
        dropped("reaches", 3),
        dropped("seen", 3),
        created("seen", 4),
        created("reaches", 4),
    ]
