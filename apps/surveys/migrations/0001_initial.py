"""Make surveys and their sessions."""

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
            name="Survey",
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
                ("check_text", models.TextField(null=True)),
                ("query", models.TextField(null=True)),
                ("is_all", models.BooleanField()),
                ("reaches_to", models.DateTimeField()),
                ("asked_by_kind", models.CharField(db_collation="C", max_length=16)),
                ("asked_by_id", models.TextField(db_collation="C")),
                ("asked_by_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("looked_at", models.DateTimeField(null=True)),
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
            name="Sampled",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "survey_id",
                        "session_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
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
                ("is_placed", models.BooleanField(default=False)),
                ("is_inherited", models.BooleanField(default=False)),
                ("wrote", models.JSONField(default=list)),
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
                    "survey",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="surveys.survey",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="survey",
            index=models.Index(fields=["project", "-id"], name="surveys_survey_newest"),
        ),
        migrations.AddIndex(
            model_name="survey",
            index=models.Index(
                condition=models.Q(("looked_at__isnull", True)),
                fields=["id"],
                name="surveys_survey_to_look",
            ),
        ),
        migrations.AddIndex(
            model_name="sampled",
            index=models.Index(
                fields=["session_id"], name="surveys_sampled_of_session"
            ),
        ),
        migrations.AddConstraint(
            model_name="sampled",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict__in", ["bad", "good", "unknown"])),
                name="surveys_sampled_verdict_is_known",
            ),
        ),
    ]
