"""Make the tables of old states: vectors of versions, and how far these go."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("meaning", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Backfill",
            fields=[
                (
                    "project_id",
                    models.CharField(
                        db_collation="C",
                        max_length=31,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("model", models.CharField(db_collation="C", max_length=200)),
                (
                    "before",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PastStream",
            fields=[
                (
                    "session_id",
                    models.CharField(
                        db_collation="C",
                        max_length=31,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("model", models.CharField(db_collation="C", max_length=200)),
                ("number", models.BigIntegerField(default=-1)),
                ("noticed", models.BigIntegerField(default=0)),
                ("due_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)),
                        fields=["due_at"],
                        name="meaning_paststream_due",
                    ),
                    models.Index(
                        fields=["project_id", "-session_id"],
                        name="meaning_paststream_newest",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PastVector",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "number",
                        "model",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField()),
                ("model", models.CharField(db_collation="C", max_length=200)),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("data", models.BinaryField()),
                ("scale", models.FloatField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("project_id"),
                        models.F("model"),
                        models.OrderBy(models.F("session_id"), descending=True),
                        models.OrderBy(models.F("number"), descending=True),
                        name="meaning_pastvector_newest",
                    )
                ],
            },
        ),
    ]
