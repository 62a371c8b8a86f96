"""Make exports and the pieces of their files."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0005_needs_rollback_reason"),
    ]

    operations = [
        migrations.CreateModel(
            name="Export",
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
                            ("trajectories", "Trajectories"),
                            ("audit", "Audit"),
                            ("session", "Session"),
                            ("person", "Person"),
                        ],
                        db_collation="C",
                        max_length=16,
                    ),
                ),
                ("asked", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("making", "Making"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                            ("erased", "Erased"),
                            ("expired", "Expired"),
                        ],
                        db_collation="C",
                        default="making",
                        max_length=8,
                    ),
                ),
                ("cursor", models.JSONField(default=dict)),
                ("is_written", models.BooleanField(default=False)),
                (
                    "waits_for",
                    models.CharField(
                        blank=True,
                        choices=[("store", "Store")],
                        db_collation="C",
                        default="",
                        max_length=8,
                    ),
                ),
                ("pieces", models.IntegerField(default=0)),
                ("rows", models.BigIntegerField(default=0)),
                ("bytes", models.BigIntegerField(default=0)),
                ("left_out", models.JSONField(default=dict)),
                ("entries", models.IntegerField(default=0)),
                ("verified", models.JSONField(default=list)),
                (
                    "sha256",
                    models.CharField(db_collation="C", default="", max_length=64),
                ),
                ("error", models.TextField(blank=True, default="")),
                ("asked_by_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("expires_at", models.DateTimeField(null=True)),
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
            name="Piece",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "export_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("number", models.IntegerField()),
                ("generation", models.BigIntegerField()),
                ("size", models.IntegerField()),
                ("directory", models.BinaryField(default=b"")),
                (
                    "export",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="exports.export",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="export",
            index=models.Index(fields=["project", "-id"], name="exports_export_newest"),
        ),
        migrations.AddIndex(
            model_name="export",
            index=models.Index(
                condition=models.Q(("state", "making")),
                fields=["id"],
                name="exports_export_making",
            ),
        ),
        migrations.AddConstraint(
            model_name="export",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["making", "ready", "failed", "erased", "expired"])
                ),
                name="exports_export_state_is_known",
            ),
        ),
    ]
