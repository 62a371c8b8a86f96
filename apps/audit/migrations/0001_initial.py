"""Make events, chained records and the outbox, and what keeps history unchanged."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_first_release"),
    ]

    operations = [
        # First, so that it goes after the tables that it guards.
        sql.create_function("audit", "refuse_change_v2"),
        migrations.CreateModel(
            name="AuditRecord",
            fields=[
                ("action", models.CharField(db_collation="C", max_length=64)),
                ("resource_type", models.CharField(db_collation="C", max_length=32)),
                ("resource_id", models.TextField(db_collation="C")),
                ("actor_kind", models.CharField(db_collation="C", max_length=16)),
                ("actor_id", models.TextField(db_collation="C")),
                ("actor_label", models.TextField()),
                ("details", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField()),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField()),
                ("event_id", models.CharField(db_collation="C", max_length=32)),
                ("leaf", models.BinaryField()),
                ("chain", models.BinaryField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)),
                        name="audit_auditrecord_number_from_one",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("action", models.CharField(db_collation="C", max_length=64)),
                ("resource_type", models.CharField(db_collation="C", max_length=32)),
                ("resource_id", models.TextField(db_collation="C")),
                ("actor_kind", models.CharField(db_collation="C", max_length=16)),
                ("actor_id", models.TextField(db_collation="C")),
                ("actor_label", models.TextField()),
                ("details", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField()),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "stream_id",
                        "id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("stream_id", models.CharField(db_collation="C", max_length=31)),
                ("id", models.CharField(db_collation="C", max_length=32)),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField(null=True)),
                ("request_id", models.TextField(db_collation="C")),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["project_id", "-id"], name="audit_event_by_project"
                    ),
                    models.Index(
                        fields=["project_id", "action", "id"],
                        name="audit_event_by_action",
                    ),
                ],
            },
        ),
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
        sql.create_on_tables("audit", "append_only_triggers_v2"),
        sql.create_on_tables("audit", "records_by_row_v1"),
    ]
