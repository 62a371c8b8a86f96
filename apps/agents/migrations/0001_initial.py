"""Make the agents of a project."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_first_release"),
        ("accounts", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Agent",
            fields=[
                (
                    "id",
                    models.CharField(
                        db_collation="C",
                        max_length=32,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("external_id", models.CharField(db_collation="C", max_length=255)),
                ("name", models.CharField(max_length=255)),
                ("description", models.TextField(blank=True, default="")),
                ("owner", models.CharField(blank=True, default="", max_length=255)),
                ("team", models.CharField(blank=True, default="", max_length=255)),
                ("tags", models.JSONField(default=list)),
                ("metadata", models.BinaryField(default=b"{}")),
                (
                    "status",
                    models.CharField(
                        choices=[("active", "Active"), ("suspended", "Suspended")],
                        default="active",
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["project", "-id"], name="agents_agent_newest"),
                    models.Index(
                        fields=["project", "name"],
                        name="agents_agent_by_name",
                        opclasses=["varchar_ops", "varchar_pattern_ops"],
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "external_id"),
                        name="agents_agent_one_per_external_id",
                    )
                ],
            },
        ),
    ]
