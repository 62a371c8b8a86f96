"""Keep schemas of states, and migrations between them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0008_reads_unmasked"),
        ("agents", "0004_has_schemas"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentSchema",
            fields=[
                (
                    "id",
                    models.CharField(
                        db_collation="C",
                        max_length=32,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("version", models.TextField(db_collation="C")),
                ("body", models.BinaryField()),
                ("strict", models.BooleanField(default=False)),
                ("used_at", models.DateTimeField(null=True)),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="agents.agent",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["project", "agent", "id"], name="schemas_of_agent"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("agent", "version"),
                        name="schemas_schema_one_per_version",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SchemaMigration",
            fields=[
                (
                    "id",
                    models.CharField(
                        db_collation="C",
                        max_length=32,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("from_version", models.TextField(db_collation="C")),
                ("to_version", models.TextField(db_collation="C")),
                ("steps", models.BinaryField()),
                ("used_at", models.DateTimeField(null=True)),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="agents.agent",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["project", "agent", "id"],
                        name="schemas_migration_of_agent",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("agent", "from_version", "to_version"),
                        name="schemas_migration_one_per_pair",
                    )
                ],
            },
        ),
    ]
