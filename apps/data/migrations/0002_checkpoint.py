"""Make the checkpoints of agents' config and data."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("data", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Checkpoint",
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
                ("id", models.CharField(db_collation="C", max_length=29)),
                ("ordinal", models.BigIntegerField()),
                ("number", models.BigIntegerField()),
                ("config_ordinal", models.BigIntegerField()),
                ("keys", models.BigIntegerField()),
                ("bytes", models.BigIntegerField()),
                ("label", models.TextField(null=True)),
                ("description", models.TextField(null=True)),
                ("metadata", models.JSONField()),
                ("actor_kind", models.CharField(db_collation="C", max_length=16)),
                ("actor_id", models.TextField(db_collation="C")),
                ("actor_label", models.TextField()),
                ("event_id", models.CharField(db_collation="C", max_length=32)),
                ("created_at", models.DateTimeField()),
                ("hidden_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session_id", "ordinal"), name="data_checkpoint_ordinal"
                    )
                ],
            },
        ),
    ]
