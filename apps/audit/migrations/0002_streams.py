"""Key chained records by stream, and let an agent's stream say more of each act."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            # Django changes no composite key.
            database_operations=[
                migrations.RunSQL(
                    sql.statement("audit", "records_by_stream_v1"),
                    reverse_sql=sql.statement("audit", "records_by_project_v1"),
                )
            ],
            state_operations=[
                migrations.AddField(
                    model_name="auditrecord",
                    name="stream_id",
                    field=models.CharField(db_collation="C", max_length=32),
                    preserve_default=False,
                ),
                migrations.AlterField(
                    model_name="auditrecord",
                    name="pk",
                    field=models.CompositePrimaryKey(
                        "stream_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="auditrecord",
            name="format",
            field=models.SmallIntegerField(default=1),
        ),
        migrations.AddField(
            model_name="auditrecord",
            name="result",
            field=models.CharField(db_collation="C", max_length=16, null=True),
        ),
        migrations.AddField(
            model_name="auditrecord",
            name="rule",
            field=models.TextField(db_collation="C", null=True),
        ),
        migrations.AddField(
            model_name="auditrecord",
            name="version",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="auditrecord",
            name="salt",
            field=models.BinaryField(null=True),
        ),
        migrations.AddField(
            model_name="auditrecord",
            name="resource_digest",
            field=models.BinaryField(null=True),
        ),
        migrations.AddConstraint(
            model_name="auditrecord",
            constraint=models.UniqueConstraint(
                fields=["stream_id", "event_id"],
                name="audit_auditrecord_one_per_event",
            ),
        ),
        sql.create_on_tables("audit", "records_by_row_v2"),
        sql.create_function("audit", "append_record_v1"),
    ]
