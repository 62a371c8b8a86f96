"""Make approvals, their votes, what is undecided, and the rules."""

import django.db.models.deletion
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0004_search_by_meaning"),
        ("agents", "0003_deleted"),
        # Its trigger function guards history.
        ("audit", "0001_initial"),
        ("timeline", "0012_keyed_read_seen"),
    ]

    operations = [
        migrations.CreateModel(
            name="Approval",
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
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField()),
                ("key", models.TextField(db_collation="C", null=True)),
                ("tool", models.TextField()),
                (
                    "effect_class",
                    models.CharField(
                        choices=[
                            ("read", "Read"),
                            ("reversible", "Reversible"),
                            ("compensable", "Compensable"),
                            ("irreversible", "Irreversible"),
                        ],
                        max_length=16,
                    ),
                ),
                ("arguments", models.BinaryField()),
                ("schema", models.BinaryField(null=True)),
                ("reason", models.TextField(null=True)),
                ("depends_on", ArrayField(models.TextField(), default=list)),
                ("binding", models.BinaryField()),
                ("votes", models.SmallIntegerField()),
                (
                    "who",
                    models.CharField(
                        choices=[("operator", "Operator"), ("admin", "Admin")],
                        max_length=16,
                    ),
                ),
                ("expires_at", models.DateTimeField()),
                (
                    "on_expiry",
                    models.CharField(
                        choices=[("reject", "Reject"), ("escalate", "Escalate")],
                        max_length=16,
                    ),
                ),
                ("rule_id", models.TextField(db_collation="C", null=True)),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="agents.agent",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["project_id", "-id"], name="approvals_newest"),
                    models.Index(
                        fields=["project_id", "agent", "-id"], name="approvals_by_agent"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session_id", "number"), name="approvals_one_per_wait"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("key__isnull", False)),
                        fields=("session_id", "key"),
                        name="approvals_one_per_key",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("votes__in", (1, 2))),
                        name="approvals_one_or_two_votes",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ApprovalRule",
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
                ("tool", models.TextField(null=True)),
                (
                    "effect_class",
                    models.CharField(
                        choices=[
                            ("read", "Read"),
                            ("reversible", "Reversible"),
                            ("compensable", "Compensable"),
                            ("irreversible", "Irreversible"),
                        ],
                        max_length=16,
                        null=True,
                    ),
                ),
                ("check_text", models.TextField(null=True)),
                ("votes", models.SmallIntegerField()),
                (
                    "who",
                    models.CharField(
                        choices=[("operator", "Operator"), ("admin", "Admin")],
                        max_length=16,
                    ),
                ),
                ("expires_in", models.IntegerField()),
                (
                    "on_expiry",
                    models.CharField(
                        choices=[("reject", "Reject"), ("escalate", "Escalate")],
                        max_length=16,
                    ),
                ),
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
                        name="approvals_rule_of_agent",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Undecided",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "approval_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("approval_id", models.CharField(db_collation="C", max_length=31)),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField()),
                ("due_at", models.DateTimeField()),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="agents.agent",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["project_id", "due_at", "approval_id"],
                        name="approvals_first",
                    ),
                    models.Index(fields=["due_at"], name="approvals_due"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Vote",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "approval_id",
                        "ordinal",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("approval_id", models.CharField(db_collation="C", max_length=31)),
                ("ordinal", models.SmallIntegerField()),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("approve", "Approve"),
                            ("reject", "Reject"),
                            ("escalate", "Escalate"),
                            ("expire", "Expire"),
                        ],
                        max_length=16,
                    ),
                ),
                ("is_late", models.BooleanField(default=False)),
                ("comment", models.TextField(null=True)),
                ("arguments", models.BinaryField(null=True)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("approved", "Approved"),
                            ("rejected", "Rejected"),
                            ("expired", "Expired"),
                            ("voided", "Voided"),
                        ],
                        max_length=16,
                        null=True,
                    ),
                ),
                ("number", models.BigIntegerField(null=True)),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="agents.agent",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("outcome__isnull", False)),
                        fields=["project_id", "-created_at", "-approval_id"],
                        name="approvals_decided",
                    ),
                    models.Index(
                        condition=models.Q(("outcome__isnull", False)),
                        fields=["project_id", "outcome", "-created_at", "-approval_id"],
                        name="approvals_decided_so",
                    ),
                ],
            },
        ),
        sql.create_on_tables("approvals", "tables_v1"),
    ]
