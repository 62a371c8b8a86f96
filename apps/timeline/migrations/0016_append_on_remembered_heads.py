"""An append names its head's chain value; its API key is checked under the lock."""

from django.db import migrations

from apps.core import sql


def _drop(name: str) -> migrations.RunSQL:
    """Drop a function; to reverse it, bring it back."""
    return migrations.RunSQL(
        f"DROP FUNCTION timeline_{name}", reverse_sql=[sql.statement("timeline", name)]
    )


def _make(name: str) -> migrations.RunSQL:
    return sql.create("timeline", name, drop=f"DROP FUNCTION timeline_{name}")


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0015_refuse_by_role"),
        ("accounts", "0005_generation"),
    ]

    operations = [
        # The batch calls the append, so it goes first and comes last.
        _drop("append_batch_v3"),
        _drop("append_v3"),
        _make("append_v4"),
        _make("append_batch_v4"),
    ]
