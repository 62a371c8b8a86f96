"""The ledger's functions take typed parameters, where they took JSON with hex text."""

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
    dependencies = [("timeline", "0016_append_on_remembered_heads")]

    operations = [
        # The batch calls the append, so it goes first and comes last.
        _drop("append_batch_v4"),
        _drop("append_v4"),
        _drop("create_session_v3"),
        _make("append_v5"),
        _make("append_batch_v5"),
        _make("create_session_v4"),
    ]
