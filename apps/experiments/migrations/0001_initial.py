"""Make experiments and their variants."""

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
            name="Experiment",
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
                ("name", models.TextField()),
                (
                    "session_id",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
                ("number", models.BigIntegerField()),
                ("checks", models.JSONField(default=list)),
                (
                    "status",
                    models.CharField(
                        choices=[("open", "Open"), ("closed", "Closed")],
                        db_collation="C",
                        default="open",
                        max_length=8,
                    ),
                ),
                ("made_by_kind", models.CharField(db_collation="C", max_length=16)),
                ("made_by_id", models.TextField(db_collation="C")),
                ("made_by_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
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
            name="Variant",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "experiment_id",
                        "session_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("position", models.SmallIntegerField()),
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
                    "experiment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="experiments.experiment",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="experiment",
            index=models.Index(
                fields=["project", "-id"], name="experiments_experiment_newest"
            ),
        ),
        migrations.AddIndex(
            model_name="experiment",
            index=models.Index(
                fields=["session_id"], name="experiments_experiment_origin"
            ),
        ),
        migrations.AddConstraint(
            model_name="experiment",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["open", "closed"])),
                name="experiments_experiment_status_is_known",
            ),
        ),
        migrations.AddIndex(
            model_name="variant",
            index=models.Index(
                fields=["session_id"], name="experiments_variant_of_session"
            ),
        ),
    ]
