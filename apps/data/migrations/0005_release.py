"""Make the releases of agents, noted when they begin."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("data", "0004_schedule"),
    ]

    operations = [
        migrations.CreateModel(
            name="Release",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "name",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("name", models.TextField(db_collation="C")),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("noted_at", models.DateTimeField()),
                ("kept_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(kept_at__isnull=True),
                        fields=["noted_at"],
                        name="data_release_new",
                    )
                ],
            },
        ),
    ]
