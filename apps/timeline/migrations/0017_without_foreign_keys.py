"""Take foreign keys off the way of an append: four a version, and one a change.

They were a fifth of the function. What a version shows is looked for by the function,
under the session's lock; everything else it inserts itself, in one transaction. The key
of a version to its session stays: without its session nothing would look for it.
"""

from django.db import migrations

KEYS = (
    ("body", "session", "session_id", "session (id)", ""),
    (
        *("version", "body", "session_id, body_number", "body (session_id, number)"),
        " DEFERRABLE INITIALLY DEFERRED",
    ),
    ("body", "base", "session_id, base_number", "body (session_id, number)", ""),
    ("change", "version", "session_id, number", "version (session_id, number)", ""),
    ("turn", "version", "session_id, head_number", "version (session_id, number)", ""),
)


def _drop(
    table: str, name: str, columns: str, there: str, when: str
) -> migrations.RunSQL:
    key = f"timeline_{table}_{name}_fk"
    return migrations.RunSQL(
        f"ALTER TABLE timeline_{table} DROP CONSTRAINT {key}",
        f"ALTER TABLE timeline_{table} ADD CONSTRAINT {key}"
        f" FOREIGN KEY ({columns}) REFERENCES timeline_{there}{when}",
    )


class Migration(migrations.Migration):
    dependencies = [("timeline", "0016_typed_parameters")]

    operations = [_drop(*key) for key in KEYS]
