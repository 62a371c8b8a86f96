"""Make what is owed for effects that a rollback has crossed."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0013_effects"),
    ]

    operations = [
        migrations.CreateModel(
            name="CompensationStep",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "effect_id",
                        "ordinal",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("effect_id", models.CharField(db_collation="C", max_length=31)),
                ("ordinal", models.BigIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("requested", "Requested"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("waived", "Waived"),
                        ],
                        max_length=9,
                    ),
                ),
                ("reason", models.TextField(null=True)),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Compensation",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "effect_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("effect_id", models.CharField(db_collation="C", max_length=31)),
                ("rollback_number", models.BigIntegerField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["session_id", "rollback_number"],
                        name="timeline_compensation_of_one",
                    )
                ],
            },
        ),
        sql.create_on_tables("timeline", "compensation_tables_v1"),
    ]
