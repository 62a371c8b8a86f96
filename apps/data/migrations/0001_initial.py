"""Make the exports of agents' audits."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [("core", "0001_first_release")]

    operations = [
        migrations.CreateModel(
            name="Export",
            fields=[
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
                ("stream_id", models.CharField(db_collation="C", max_length=32)),
                ("id", models.CharField(db_collation="C", max_length=31)),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                (
                    "format",
                    models.CharField(
                        choices=[("json", "Json"), ("csv", "Csv")], max_length=8
                    ),
                ),
                ("from_number", models.BigIntegerField()),
                ("to_number", models.BigIntegerField()),
                ("chain_end", models.BinaryField()),
                ("verification", models.JSONField(null=True)),
                ("actor_kind", models.CharField(db_collation="C", max_length=16)),
                ("actor_id", models.TextField(db_collation="C")),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("format__in", ["json", "csv"])),
                        name="data_export_format_is_known",
                    )
                ],
            },
        ),
    ]
