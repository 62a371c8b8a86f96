"""Make the exceptions from agents' policies."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("data", "0002_checkpoint"),
    ]

    operations = [
        migrations.CreateModel(
            name="PolicyException",
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
                ("rule", models.CharField(db_collation="C", max_length=64)),
                ("fingerprint", models.BinaryField(null=True)),
                ("prefix", models.TextField(db_collation="C", null=True)),
                ("kind", models.TextField(blank=True, default="")),
                ("place", models.TextField(blank=True, default="")),
                ("masked", models.TextField(blank=True, default="")),
                ("reason", models.TextField()),
                ("actor_kind", models.CharField(db_collation="C", max_length=16)),
                ("actor_id", models.TextField(db_collation="C")),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "data_exception",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("fingerprint__isnull", True),
                            ("prefix__isnull", True),
                            _connector="XOR",
                        ),
                        name="data_exception_names_a_text_or_a_prefix",
                    )
                ],
            },
        ),
    ]
