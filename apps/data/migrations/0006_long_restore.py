"""Make the restores of agents' data that go by steps."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("data", "0005_release"),
    ]

    operations = [
        migrations.CreateModel(
            name="LongRestore",
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
                ("id", models.CharField(db_collation="C", max_length=30)),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("checkpoint_id", models.CharField(db_collation="C", max_length=29)),
                ("of_config", models.BooleanField()),
                ("of_data", models.BooleanField()),
                ("reasoning", models.TextField(null=True)),
                ("seen", models.BigIntegerField()),
                ("total", models.BigIntegerField(null=True)),
                ("passed", models.BigIntegerField(default=0)),
                ("next_key", models.TextField(db_collation="C", default="")),
                ("steps", models.BigIntegerField(default=0)),
                ("changed", models.BigIntegerField(default=0)),
                ("removed", models.BigIntegerField(default=0)),
                ("lapsed", models.BigIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        max_length=8,
                    ),
                ),
                ("code", models.TextField(db_collation="C", default="")),
                ("words", models.TextField(default="")),
                ("actor_kind", models.CharField(db_collation="C", max_length=16)),
                ("actor_id", models.TextField(db_collation="C")),
                ("actor_label", models.TextField()),
                ("request_id", models.TextField(db_collation="C")),
                ("created_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "running")),
                        fields=["created_at"],
                        name="data_longrestore_waiting",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "running")),
                        fields=("session_id",),
                        name="data_longrestore_running",
                    )
                ],
            },
        ),
    ]
