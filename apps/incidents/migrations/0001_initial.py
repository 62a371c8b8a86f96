"""Make incidents, their sessions and their history."""

import django.db.models.deletion
from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0008_reads_unmasked"),
        ("agents", "0003_deleted"),
        # Its trigger function guards history.
        ("audit", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Incident",
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
                ("title", models.TextField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("watching", "Watching"),
                            ("resolved", "Resolved"),
                        ],
                        db_collation="C",
                        default="open",
                        max_length=16,
                    ),
                ),
                ("query", models.TextField(null=True)),
                ("check_text", models.TextField(null=True)),
                ("checked_at", models.DateTimeField(null=True)),
                ("owner_id", models.TextField(db_collation="C", null=True)),
                ("owner_label", models.TextField(null=True)),
                ("opened_by_kind", models.CharField(db_collation="C", max_length=16)),
                ("opened_by_id", models.TextField(db_collation="C")),
                ("opened_by_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("resolved_at", models.DateTimeField(null=True)),
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
            name="Entry",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "incident_id",
                        "id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("id", models.CharField(db_collation="C", max_length=31)),
                (
                    "deed",
                    models.CharField(
                        choices=[
                            ("opened", "Opened"),
                            ("titled", "Titled"),
                            ("status", "Status"),
                            ("owner", "Owner"),
                            ("check", "Check"),
                            ("removed", "Removed"),
                            ("noted", "Noted"),
                        ],
                        db_collation="C",
                        max_length=16,
                    ),
                ),
                ("text", models.TextField(null=True)),
                (
                    "session_id",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
                ("actor_kind", models.CharField(db_collation="C", max_length=16)),
                ("actor_id", models.TextField(db_collation="C")),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "incident",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="incidents.incident",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Member",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "incident_id",
                        "session_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("head_number", models.BigIntegerField()),
                ("release", models.TextField(null=True)),
                ("model", models.TextField(null=True)),
                ("removed_at", models.DateTimeField(null=True)),
                ("removed_by", models.TextField(null=True)),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("bad", "Bad"),
                            ("good", "Good"),
                            ("unknown", "Unknown"),
                        ],
                        db_collation="C",
                        max_length=8,
                        null=True,
                    ),
                ),
                (
                    "bad_session_id",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
                ("bad_number", models.BigIntegerField(null=True)),
                ("bad_release", models.TextField(null=True)),
                ("bad_at", models.DateTimeField(null=True)),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="agents.agent",
                    ),
                ),
                (
                    "incident",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="incidents.incident",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(
                fields=["project", "-id"], name="incidents_incident_newest"
            ),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(
                condition=models.Q(("status", "open")),
                fields=["project"],
                name="incidents_incident_open",
            ),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(
                condition=models.Q(
                    ("check_text__isnull", False), ("checked_at__isnull", True)
                ),
                fields=["id"],
                name="incidents_incident_to_check",
            ),
        ),
        migrations.AddConstraint(
            model_name="incident",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["open", "watching", "resolved"])),
                name="incidents_incident_status_is_known",
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("session_id__isnull", False)),
                fields=["session_id"],
                name="incidents_entry_of_session",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "deed__in",
                        [
                            "opened",
                            "titled",
                            "status",
                            "owner",
                            "check",
                            "removed",
                            "noted",
                        ],
                    )
                ),
                name="incidents_entry_deed_is_known",
            ),
        ),
        migrations.AddIndex(
            model_name="member",
            index=models.Index(
                fields=["session_id"], name="incidents_member_of_session"
            ),
        ),
        migrations.AddIndex(
            model_name="member",
            index=models.Index(
                fields=["incident", "agent"], name="incidents_member_by_agent"
            ),
        ),
        migrations.AddConstraint(
            model_name="member",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict__in", ["bad", "good", "unknown"])),
                name="incidents_member_verdict_is_known",
            ),
        ),
        sql.create_on_tables("incidents", "history_triggers_v1"),
    ]
