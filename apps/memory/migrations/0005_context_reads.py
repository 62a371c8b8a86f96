"""Make the table of what sessions read of memories."""

import django.contrib.postgres.fields
from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        # Its trigger function guards history.
        ("audit", "0001_initial"),
        ("memory", "0004_taken"),
    ]

    operations = [
        migrations.CreateModel(
            name="ContextRead",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("id", models.CharField(db_collation="C", max_length=31)),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("version", models.BigIntegerField()),
                ("digest", models.BinaryField()),
                (
                    "memories",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(db_collation="C", max_length=30),
                        size=None,
                    ),
                ),
                (
                    "ordinals",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None
                    ),
                ),
                (
                    "scores",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.FloatField(null=True), size=None
                    ),
                ),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session_id", "version", "digest"),
                        name="memory_contextread_once_a_version",
                    )
                ],
            },
        ),
        sql.create_on_tables("memory", "read_triggers_v1"),
        sql.create_function("memory", "note_read_v1"),
    ]
