"""Make policies of retention, their previews and removals, and legal holds."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_first_release"),
        ("accounts", "0005_needs_rollback_reason"),
        ("agents", "0003_deleted"),
    ]

    operations = [
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                ("id", models.SmallIntegerField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("swept_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)),
                        name="retention_heartbeat_is_one_row",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Policy",
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
                ("thin_days", models.IntegerField(null=True)),
                ("empty_days", models.IntegerField(null=True)),
                ("prune_days", models.IntegerField(null=True)),
                ("remove_days", models.IntegerField(null=True)),
                ("ended_days", models.IntegerField(null=True)),
                ("keep_last", models.IntegerField(default=1)),
                ("digest", models.CharField(db_collation="C", max_length=64)),
                ("is_enabled", models.BooleanField(default=False)),
                (
                    "preview_id",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
                ("made_by_kind", models.CharField(db_collation="C", max_length=16)),
                ("made_by_id", models.TextField(db_collation="C")),
                ("made_by_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("enabled_at", models.DateTimeField(null=True)),
                ("disabled_at", models.DateTimeField(null=True)),
                ("swept_at", models.DateTimeField(null=True)),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
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
        ),
        migrations.CreateModel(
            name="Removal",
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
                ("is_preview", models.BooleanField()),
                ("policy_digest", models.CharField(db_collation="C", max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("previewing", "Previewing"),
                            ("ready", "Ready"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        max_length=16,
                    ),
                ),
                ("cursor", models.JSONField(default=dict)),
                ("counts", models.JSONField(default=dict)),
                ("is_complete", models.BooleanField(default=False)),
                ("error", models.TextField(blank=True, default="")),
                ("asked_by_label", models.TextField()),
                ("started_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "policy",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        to="retention.policy",
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
        ),
        migrations.CreateModel(
            name="LegalHold",
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
                    "kind",
                    models.CharField(
                        choices=[
                            ("session", "Session"),
                            ("user", "User"),
                            ("agent", "Agent"),
                            ("project", "Project"),
                        ],
                        max_length=16,
                    ),
                ),
                ("value", models.TextField(db_collation="C")),
                ("reason", models.TextField()),
                ("until", models.DateTimeField(null=True)),
                ("set_by_kind", models.CharField(db_collation="C", max_length=16)),
                ("set_by_id", models.TextField(db_collation="C")),
                ("set_by_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("ended_by_label", models.TextField(null=True)),
                ("end_reason", models.TextField(null=True)),
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
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=["project", "kind", "value"],
                        name="retention_legalhold_open",
                    ),
                    models.Index(
                        fields=["project", "-id"], name="retention_legalhold_newest"
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["session", "user", "agent", "project"])
                        ),
                        name="retention_legalhold_kind_is_known",
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="policy",
            index=models.Index(
                fields=["project", "-id"], name="retention_policy_newest"
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.UniqueConstraint(
                condition=models.Q(("agent__isnull", True), ("is_enabled", True)),
                fields=("project",),
                name="retention_policy_one_of_a_project",
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.UniqueConstraint(
                condition=models.Q(("agent__isnull", False), ("is_enabled", True)),
                fields=("project", "agent"),
                name="retention_policy_one_of_an_agent",
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=models.Q(("keep_last__gte", 1)),
                name="retention_policy_keeps_the_head",
            ),
        ),
        migrations.AddIndex(
            model_name="removal",
            index=models.Index(
                fields=["project", "is_preview", "-id"], name="retention_removal_newest"
            ),
        ),
        migrations.AddIndex(
            model_name="removal",
            index=models.Index(
                condition=models.Q(("state", "previewing")),
                fields=["id"],
                name="retention_removal_to_preview",
            ),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["previewing", "ready", "running", "done", "failed"])
                ),
                name="retention_removal_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="removal",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "running")),
                fields=("policy",),
                name="retention_removal_one_runs",
            ),
        ),
    ]
