"""How far followers of the events may read."""

from django.db import migrations

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("audit", "0004_follow")]

    operations = [
        sql.create("audit", "settled_v1", drop="DROP FUNCTION audit_settled_v1();"),
    ]
