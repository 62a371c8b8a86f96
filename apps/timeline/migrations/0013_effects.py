"""Make effects, their steps, and the functions that write them."""

from django.db import migrations, models

from apps.core import sql

# In the order in which they need one another.
FUNCTIONS = (
    *("effect_lock_v1", "effect_step_v1", "effect_aside_v1", "effect_begin_v1"),
    *("effect_finish_v1", "effect_lapse_v1"),
)


class Migration(migrations.Migration):
    dependencies = [
        # Its trigger function guards history.
        ("audit", "0001_initial"),
        ("timeline", "0012_keyed_read_seen"),
    ]

    operations = [
        migrations.CreateModel(
            name="Effect",
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
                ("id", models.CharField(db_collation="C", max_length=31)),
                ("key", models.CharField(db_collation="C", max_length=200)),
                ("tool", models.TextField()),
                ("call_digest", models.BinaryField()),
                ("call_id", models.TextField(null=True)),
                (
                    "effect_class",
                    models.CharField(
                        choices=[
                            ("read", "Read"),
                            ("reversible", "Reversible"),
                            ("compensable", "Compensable"),
                            ("irreversible", "Irreversible"),
                        ],
                        max_length=12,
                        null=True,
                    ),
                ),
                ("arguments", models.BinaryField(null=True)),
                ("arguments_size", models.BigIntegerField()),
                ("undo", models.BinaryField(null=True)),
                ("undo_until", models.DateTimeField(null=True)),
                ("takes_provider_key", models.BooleanField()),
                ("number", models.BigIntegerField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session_id", "key"), name="timeline_effect_one_per_key"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="EffectDue",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "effect_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("effect_id", models.CharField(db_collation="C", max_length=31)),
                ("due_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["due_at"], name="timeline_effectdue_first")
                ],
            },
        ),
        migrations.CreateModel(
            name="EffectStep",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "effect_id",
                        "ordinal",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("effect_id", models.CharField(db_collation="C", max_length=31)),
                ("ordinal", models.BigIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("begun", "Begun"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("unknown", "Unknown"),
                        ],
                        max_length=8,
                    ),
                ),
                ("attempt", models.BigIntegerField()),
                ("head_number", models.BigIntegerField()),
                ("deadline", models.DateTimeField(null=True)),
                ("result", models.BinaryField(null=True)),
                ("result_reference", models.TextField(null=True)),
                ("result_digest", models.TextField(null=True)),
                ("external_id", models.TextField(null=True)),
                ("reason", models.TextField(null=True)),
                ("digest", models.BinaryField(null=True)),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("attempt__gte", 1), ("ordinal__gte", 1)),
                        name="timeline_effectstep_from_one",
                    )
                ],
            },
        ),
        sql.create_on_tables("timeline", "effect_tables_v1"),
        *(sql.create_function("timeline", name) for name in FUNCTIONS),
    ]
