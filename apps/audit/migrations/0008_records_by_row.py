"""Records that cover rows are found by the row."""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("audit", "0007_outbox")]

    operations = [
        sql.create(
            "audit", "records_by_row_v1", drop="DROP INDEX audit_auditrecord_by_row;"
        ),
    ]
