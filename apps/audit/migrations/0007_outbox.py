"""An outbox in place of followers that read on in the order of transactions."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0006_refuse_by_role"),
        # They followed by it.
        ("metrics", "0009_without_follower"),
        ("webhooks", "0003_without_place"),
    ]

    operations = [
        migrations.CreateModel(
            name="Outbox",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "stream_id",
                        "event_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("stream_id", models.CharField(db_collation="C", max_length=31)),
                ("event_id", models.CharField(db_collation="C", max_length=32)),
                ("at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["event_id"], name="audit_outbox_oldest")
                ],
            },
        ),
        migrations.RunSQL(
            "DROP FUNCTION audit_settled_v1()",
            reverse_sql=[sql.statement("audit", "settled_v1")],
        ),
        migrations.RemoveIndex(model_name="event", name="audit_event_by_xid"),
        migrations.RemoveField(model_name="event", name="xid"),
    ]
