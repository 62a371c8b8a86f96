"""Make watches, the mails that wait to be sent, and hand-over notes."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0002_authenticators"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Watch",
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
                    "subject",
                    models.CharField(
                        choices=[("session", "Session"), ("agent", "Agent")],
                        max_length=8,
                    ),
                ),
                ("subject_id", models.CharField(db_collation="C", max_length=32)),
                ("email", models.EmailField(max_length=254)),
                ("created_at", models.DateTimeField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        to="accounts.project",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "watch_id",
                        "event_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("event_id", models.CharField(db_collation="C", max_length=32)),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField()),
                (
                    "happening",
                    models.CharField(
                        choices=[
                            ("rolled_back", "Rolled Back"),
                            ("held", "Held"),
                            ("flagged", "Flagged"),
                        ],
                        max_length=16,
                    ),
                ),
                ("actor_label", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "watch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to="watching.watch"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Handover",
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
                ("text", models.TextField()),
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
                "indexes": [
                    models.Index(
                        fields=["project", "-id"], name="watching_handover_newest"
                    )
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="watch",
            constraint=models.UniqueConstraint(
                fields=("project", "subject_id", "user"),
                name="watching_watch_one_per_member",
            ),
        ),
    ]
