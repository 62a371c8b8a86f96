"""Make the table of what lists and searches read of memories."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    initial = True

    dependencies = [("timeline", "0007_keyed_read")]

    operations = [
        sql.create(
            "timeline",
            "unowned_documents_v1",
            drop="ALTER TABLE timeline_session"
            " DROP CONSTRAINT timeline_session_has_an_agent",
        ),
        migrations.CreateModel(
            name="Memory",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "document_id",
                        "id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("document_id", models.CharField(db_collation="C", max_length=31)),
                ("id", models.CharField(db_collation="C", max_length=30)),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("session", "Session"),
                            ("user", "User"),
                            ("agent", "Agent"),
                            ("project", "Project"),
                        ],
                        max_length=8,
                    ),
                ),
                ("owner", models.TextField(db_collation="C")),
                ("type", models.TextField(db_collation="C")),
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(db_collation="C"), size=None
                    ),
                ),
                ("confidence", models.FloatField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("believed", "Believed"),
                            ("proposed", "Proposed"),
                            ("replaced", "Replaced"),
                            ("dropped", "Dropped"),
                            ("removed", "Removed"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "near",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(db_collation="C"), size=None
                    ),
                ),
                (
                    "replaced_by",
                    models.CharField(db_collation="C", max_length=30, null=True),
                ),
                ("reinforced", models.BigIntegerField(default=0)),
                (
                    "session_id",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
                ("version", models.BigIntegerField(null=True)),
                (
                    "taught_by",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(db_collation="C"), size=None
                    ),
                ),
                ("external_id", models.TextField(db_collation="C", null=True)),
                ("number", models.BigIntegerField()),
                ("ordinal", models.BigIntegerField()),
                ("digest", models.BinaryField()),
                (
                    "words",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(db_collation="C"), size=None
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["id"], name="memory_memory_by_id"),
                    models.Index(
                        fields=["document_id", "digest"], name="memory_memory_text"
                    ),
                    models.Index(
                        condition=models.Q(("external_id__isnull", False)),
                        fields=["project_id", "external_id"],
                        name="memory_memory_external",
                    ),
                    models.Index(
                        fields=["project_id", "scope", "owner", "-id"],
                        name="memory_memory_newest",
                    ),
                    models.Index(
                        condition=models.Q(("expires_at__isnull", False)),
                        fields=["expires_at"],
                        name="memory_memory_due",
                    ),
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["taught_by"], name="memory_memory_source"
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("scope__in", ["session", "user", "agent", "project"])
                        ),
                        name="memory_memory_scope_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                [
                                    "believed",
                                    "proposed",
                                    "replaced",
                                    "dropped",
                                    "removed",
                                ],
                            )
                        ),
                        name="memory_memory_status_is_known",
                    ),
                ],
            },
        ),
    ]
