from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [
        sql.create(
            "audit",
            "refuse_change_v1",
            drop="DROP TRIGGER audit_event_append_only ON audit_event;"
            " DROP TRIGGER audit_auditrecord_append_only ON audit_auditrecord;"
            " DROP FUNCTION audit_refuse_change_v1();",
        ),
    ]
