"""Make the tables of vectors, of how far they go, and of what failed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    # The mark by which a database from before is known.
    dependencies = [("core", "0001_first_release")]

    operations = [
        migrations.CreateModel(
            name="Failure",
            fields=[
                (
                    "model",
                    models.CharField(
                        db_collation="C",
                        max_length=200,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("failures", models.BigIntegerField()),
                ("in_a_row", models.BigIntegerField()),
                ("failed_at", models.DateTimeField()),
                ("retry_at", models.DateTimeField(null=True)),
                ("reason", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="Stream",
            fields=[
                (
                    "stream_id",
                    models.CharField(
                        db_collation="C",
                        max_length=31,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("model", models.CharField(db_collation="C", max_length=200)),
                ("number", models.BigIntegerField(default=0)),
                ("key", models.CharField(db_collation="C", default="", max_length=512)),
                ("stale_until", models.BigIntegerField(default=0)),
                ("revision", models.BigIntegerField(default=0)),
                ("due_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)),
                        fields=["due_at"],
                        name="meaning_stream_due",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Vector",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "stream_id",
                        "item",
                        "model",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("stream_id", models.CharField(db_collation="C", max_length=31)),
                ("item", models.CharField(db_collation="C", max_length=512)),
                ("model", models.CharField(db_collation="C", max_length=200)),
                ("number", models.BigIntegerField()),
                ("data", models.BinaryField(null=True)),
                ("scale", models.FloatField()),
                ("retry_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("stream_id"),
                        models.F("model"),
                        models.OrderBy(models.F("number"), descending=True),
                        name="meaning_vector_newest",
                    ),
                    models.Index(
                        condition=models.Q(("retry_at__isnull", False)),
                        fields=["retry_at"],
                        name="meaning_vector_retry",
                    ),
                ],
            },
        ),
    ]
