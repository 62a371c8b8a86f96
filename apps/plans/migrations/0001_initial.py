"""Make plans and their items."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_first_release"),
        ("accounts", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Plan",
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
                ("kind", models.CharField(db_collation="C", max_length=16)),
                ("params", models.JSONField(default=dict)),
                ("query", models.TextField(null=True)),
                ("has_more", models.BooleanField(default=False)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("running", "Running"),
                            ("finished", "Finished"),
                        ],
                        default="draft",
                        max_length=16,
                    ),
                ),
                ("reason", models.TextField(blank=True, default="")),
                ("made_by_kind", models.CharField(db_collation="C", max_length=16)),
                ("made_by_id", models.TextField(db_collation="C")),
                ("made_by_label", models.TextField()),
                (
                    "runs_as_kind",
                    models.CharField(db_collation="C", max_length=16, null=True),
                ),
                ("runs_as_id", models.TextField(db_collation="C", null=True)),
                ("runs_as_label", models.TextField(null=True)),
                ("request_id", models.TextField(db_collation="C", null=True)),
                ("created_at", models.DateTimeField()),
                ("confirmed_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        to="accounts.project",
                    ),
                ),
                (
                    "undo_of",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="plans.plan",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["project", "-id"], name="plans_plan_newest"),
                    models.Index(
                        condition=models.Q(("status", "running")),
                        fields=["confirmed_at"],
                        name="plans_plan_running",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["draft", "running", "finished"])
                        ),
                        name="plans_plan_status_is_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "plan_id",
                        "session_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="plans.plan",
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("position", models.IntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("planned", "Planned"),
                            ("left_out", "Left Out"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="planned",
                        max_length=16,
                    ),
                ),
                (
                    "code",
                    models.CharField(
                        blank=True, db_collation="C", default="", max_length=64
                    ),
                ),
                ("words", models.TextField(blank=True, default="")),
                ("number", models.BigIntegerField(null=True)),
                ("result_number", models.BigIntegerField(null=True)),
                ("size", models.BigIntegerField(null=True)),
                ("done_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["planned", "left_out", "done", "failed"])
                        ),
                        name="plans_item_state_is_known",
                    )
                ],
            },
        ),
    ]
