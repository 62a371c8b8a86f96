"""Notice chains that move without an event; an id of an agent has 32 characters."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("witness", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Seen",
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
                ("chain_id", models.CharField(db_collation="C", max_length=32)),
                ("number", models.BigIntegerField()),
            ],
        ),
        migrations.AlterField(
            model_name="moved",
            name="chain_id",
            field=models.CharField(db_collation="C", max_length=32),
        ),
    ]
