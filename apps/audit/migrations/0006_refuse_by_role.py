"""Events and records are erased by the retention role alone, and never by TRUNCATE."""

from django.db import migrations

from apps.core import sql

BEFORE = f"""
DROP TRIGGER audit_auditrecord_is_not_emptied ON audit_auditrecord;
DROP TRIGGER audit_event_is_not_emptied ON audit_event;
DROP TRIGGER audit_auditrecord_append_only ON audit_auditrecord;
DROP TRIGGER audit_event_append_only ON audit_event;
{sql.statement("audit", "refuse_change_v1")}
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0005_settled")]

    operations = [
        sql.create(
            "audit", "refuse_change_v2", drop="DROP FUNCTION audit_refuse_change_v2();"
        ),
        sql.create("audit", "append_only_triggers_v2", drop=BEFORE),
        migrations.RunSQL(
            "DROP FUNCTION audit_refuse_change_v1();", migrations.RunSQL.noop
        ),
    ]
