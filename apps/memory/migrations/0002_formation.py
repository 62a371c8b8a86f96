"""Make the tables of what forms memories."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Formation",
            fields=[
                (
                    "agent_id",
                    models.CharField(
                        db_collation="C",
                        max_length=32,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                (
                    "mode",
                    models.CharField(
                        choices=[("off", "Off"), ("tags", "Tags")], max_length=8
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["project_id"], name="memory_formation_project")
                ],
            },
        ),
        migrations.CreateModel(
            name="FormingTurn",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "turn_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("turn_id", models.CharField(db_collation="C", max_length=31)),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("noted_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["noted_at"], name="memory_formingturn_oldest")
                ],
            },
        ),
    ]
