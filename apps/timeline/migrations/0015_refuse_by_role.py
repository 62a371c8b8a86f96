"""History of sessions is erased by the retention role alone, and never by TRUNCATE."""

from django.db import migrations

from apps.core import sql

NEW = ("turn", "sessionname", "requestkey")
GUARDED = ("version", "body", "note", "pendingwrite", "hiddenversions", *NEW)
BEFORE = [
    *(
        f"DROP TRIGGER timeline_{name}_is_not_emptied ON timeline_{name}"
        for name in GUARDED
    ),
    *(f"DROP TRIGGER timeline_{name}_is_immutable ON timeline_{name}" for name in NEW),
    *(
        f"CREATE OR REPLACE TRIGGER timeline_{name}_is_immutable"
        f" BEFORE UPDATE OR DELETE ON timeline_{name}"
        " FOR EACH ROW EXECUTE FUNCTION timeline_refuse_change_v1()"
        for name in GUARDED
        if name not in NEW
    ),
]


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0014_recount_rollbacks"),
        ("audit", "0006_refuse_by_role"),
    ]

    operations = [
        sql.create("timeline", "immutable_triggers_v2", drop="; ".join(BEFORE) + ";"),
        migrations.RunSQL(
            "DROP FUNCTION timeline_refuse_change_v1();",
            [sql.statement("timeline", "immutable_v1")],
        ),
    ]
