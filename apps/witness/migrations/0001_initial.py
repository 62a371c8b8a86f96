"""Make the table of chains that moved since they were signed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_first_release"),
    ]

    operations = [
        migrations.CreateModel(
            name="Moved",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "kind",
                        "chain_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("session", "session"), ("record", "record")],
                        db_collation="C",
                        max_length=16,
                    ),
                ),
                ("chain_id", models.CharField(db_collation="C", max_length=31)),
                ("times", models.BigIntegerField(default=1)),
                ("since", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["since"], name="witness_moved_oldest")
                ],
            },
        ),
    ]
