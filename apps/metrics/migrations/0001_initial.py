"""Make rollups by hour, alert rules, and the functions that add up facts."""

from django.db import migrations, models

from apps.core import sql

# In the order in which they need one another.
FUNCTIONS = (
    "set_aside_v1",
    "acts_v3",
    "sums_v3",
    "laid_v2",
    "previous_v3",
    "seen_v4",
    "reaches_v4",
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_first_release"),
        ("audit", "0001_initial"),
        ("timeline", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Due",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "hour",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("hour", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="GivenRules",
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
            ],
        ),
        migrations.CreateModel(
            name="Reach",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "hour",
                        "agent_id",
                        "measure",
                        "value",
                        "gap",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("hour", models.DateTimeField()),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("measure", models.CharField(db_collation="C", max_length=32)),
                ("value", models.CharField(db_collation="C", max_length=200)),
                ("gap", models.IntegerField()),
                ("sessions", models.BigIntegerField()),
                ("acts", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Revision",
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
                ("number", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Sum",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "hour",
                        "agent_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("hour", models.DateTimeField()),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("began", models.BigIntegerField()),
                ("versions", models.BigIntegerField()),
                ("turns", models.BigIntegerField()),
                ("rollbacks", models.BigIntegerField()),
                ("undos", models.BigIntegerField()),
                ("repeats", models.BigIntegerField()),
                ("forks", models.BigIntegerField()),
                ("aside", models.BigIntegerField()),
                ("waited", models.FloatField()),
                ("stored", models.BigIntegerField()),
                ("tool_calls", models.BigIntegerField(db_default=0)),
                ("tool_errors", models.BigIntegerField(db_default=0)),
                ("timed", models.BigIntegerField(db_default=0)),
                ("latency_ms", models.BigIntegerField(db_default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Rule",
            fields=[
                (
                    "id",
                    models.CharField(
                        db_collation="C",
                        max_length=31,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                (
                    "agent_id",
                    models.CharField(db_collation="C", max_length=32, null=True),
                ),
                ("name", models.CharField(max_length=120)),
                (
                    "metric",
                    models.CharField(
                        choices=[
                            ("rollback_rate", "Rollback Rate"),
                            ("rollbacks_per_session", "Rollbacks Per Session"),
                        ],
                        max_length=32,
                    ),
                ),
                ("window", models.CharField(max_length=8)),
                ("threshold", models.FloatField()),
                ("minimum_sample", models.IntegerField()),
                ("for_minutes", models.IntegerField(default=0)),
                ("email", models.TextField(blank=True, default="")),
                ("is_active", models.BooleanField(default=True)),
                ("silenced_until", models.DateTimeField(null=True)),
                ("is_built_in", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("ok", "Ok"),
                            ("pending", "Pending"),
                            ("firing", "Firing"),
                            ("resolved", "Resolved"),
                        ],
                        default="ok",
                        max_length=16,
                    ),
                ),
                ("since", models.DateTimeField(null=True)),
                ("is_told", models.BooleanField(default=False)),
                ("value", models.FloatField(null=True)),
                ("sample", models.BigIntegerField(default=0)),
                ("evaluated_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["project_id", "id"], name="metrics_rule_by_project"
                    )
                ],
            },
        ),
        *(sql.create_function("metrics", name) for name in FUNCTIONS),
    ]
