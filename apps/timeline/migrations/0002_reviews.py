"""Make reviews and scores, and what lists show of them."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0001_initial"),
        # Its trigger function guards history.
        ("audit", "0001_initial"),
        ("timeline", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Review",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "ordinal",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("ordinal", models.BigIntegerField()),
                (
                    "outcome",
                    models.CharField(
                        choices=[("fine", "Fine"), ("failed", "Failed")], max_length=8
                    ),
                ),
                ("why", models.TextField(null=True)),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "name",
                        "ordinal",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("name", models.CharField(db_collation="C", max_length=100)),
                ("ordinal", models.BigIntegerField()),
                ("value", models.FloatField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="session",
            name="review",
            field=models.CharField(
                choices=[("fine", "Fine"), ("failed", "Failed")],
                max_length=8,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="session",
            name="scores",
            field=models.JSONField(null=True),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=models.Q(("review__isnull", False)),
                fields=["project_id", "review", "-id"],
                name="timeline_session_reviewed",
            ),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=models.Q(("scores__isnull", False)),
                fields=["project_id", "-id"],
                name="timeline_session_scored",
            ),
        ),
        sql.create_on_tables("timeline", "review_tables_v1"),
    ]
