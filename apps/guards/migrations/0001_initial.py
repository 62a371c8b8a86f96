"""Make budgets and price lists."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0008_reads_unmasked"),
        ("agents", "0003_deleted"),
    ]

    operations = [
        migrations.CreateModel(
            name="Budget",
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
                (
                    "session_id",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
                ("release", models.TextField(null=True)),
                (
                    "measure",
                    models.CharField(
                        choices=[
                            ("tokens", "Tokens"),
                            ("cost", "Cost"),
                            ("calls", "Calls"),
                            ("turns", "Turns"),
                            ("minutes", "Minutes"),
                        ],
                        max_length=16,
                    ),
                ),
                ("most", models.DecimalField(decimal_places=12, max_digits=40)),
                ("currency", models.CharField(max_length=3, null=True)),
                (
                    "period",
                    models.CharField(
                        choices=[
                            ("total", "Total"),
                            ("day", "Day"),
                            ("month", "Month"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "on_reach",
                    models.CharField(
                        choices=[("warn", "Warn"), ("pause", "Pause"), ("ask", "Ask")],
                        max_length=8,
                    ),
                ),
                ("warn_percent", models.SmallIntegerField(null=True)),
                (
                    "more",
                    models.DecimalField(decimal_places=12, max_digits=40, null=True),
                ),
                ("period_start", models.DateTimeField(null=True)),
                ("warned_at", models.DateTimeField(null=True)),
                ("reached_at", models.DateTimeField(null=True)),
                (
                    "asked_in",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
                ("approval_id", models.TextField(db_collation="C", null=True)),
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
                        fields=["project", "-id"], name="guards_budget_newest"
                    ),
                    models.Index(fields=["agent", "id"], name="guards_budget_of_agent"),
                    models.Index(
                        condition=models.Q(("session_id__isnull", False)),
                        fields=["session_id", "id"],
                        name="guards_budget_of_session",
                    ),
                    models.Index(
                        condition=models.Q(("approval_id__isnull", False)),
                        fields=["approval_id"],
                        name="guards_budget_asked",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("most__gt", 0)),
                        name="guards_budget_allows_something",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("session_id__isnull", True),
                            ("release__isnull", True),
                            _connector="OR",
                        ),
                        name="guards_budget_of_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PriceList",
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
                ("valid_from", models.DateTimeField()),
                ("currency", models.CharField(max_length=3)),
                ("by_model", models.JSONField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        to="accounts.project",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "valid_from"),
                        name="guards_one_price_list_at_a_time",
                    )
                ],
            },
        ),
    ]
