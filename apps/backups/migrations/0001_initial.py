"""Make the list of backups, and how the last try went."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_first_release"),
    ]

    operations = [
        migrations.CreateModel(
            name="Backup",
            fields=[
                (
                    "name",
                    models.CharField(
                        db_collation="C",
                        max_length=80,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("place", models.TextField()),
                ("made_at", models.DateTimeField()),
                ("bytes", models.BigIntegerField()),
                ("sha256", models.CharField(db_collation="C", max_length=64)),
                ("is_encrypted", models.BooleanField()),
                ("removed_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("id", models.SmallIntegerField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("error", models.TextField(blank=True, default="")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)), name="backups_attempt_is_one_row"
                    )
                ],
            },
        ),
    ]
