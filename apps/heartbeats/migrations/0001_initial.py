"""Make heartbeats, and what an agent's sessions begin with."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("agents", "0004_has_schemas"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentHeartbeat",
            fields=[
                (
                    "agent",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        serialize=False,
                        to="agents.agent",
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("every", models.BigIntegerField()),
                ("since", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("every__gte", 1)),
                        name="heartbeats_default_every_second_at_most",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Heartbeat",
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
                ("every", models.BigIntegerField()),
                ("due_at", models.DateTimeField()),
                ("silent_since", models.DateTimeField(null=True)),
                ("is_default", models.BooleanField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["due_at", "session_id"], name="heartbeats_heartbeat_due"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("every__gte", 1)),
                        name="heartbeats_every_second_at_most",
                    )
                ],
            },
        ),
    ]
