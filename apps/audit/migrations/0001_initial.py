from django.db import migrations, models

import apps.audit.fields


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
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
                (
                    "xid",
                    apps.audit.fields.Xid8Field(
                        db_default=apps.audit.fields.CurrentTransaction(),
                        editable=False,
                    ),
                ),
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
                    models.Index(fields=["id"], name="audit_event_by_id"),
                ],
            },
        ),
    ]
