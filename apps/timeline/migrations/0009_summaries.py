"""Make summaries of turns, which are kept as notes are."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        # Its trigger function guards history.
        ("audit", "0001_initial"),
        ("timeline", "0008_restore_steps"),
    ]

    operations = [
        migrations.CreateModel(
            name="Summary",
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
                ("ordinal", models.BigIntegerField()),
                ("first_turn", models.BigIntegerField()),
                ("last_turn", models.BigIntegerField()),
                ("head_number", models.BigIntegerField()),
                ("text", models.TextField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["session_id", "-last_turn", "-ordinal"],
                        name="timeline_summary_furthest",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session_id", "ordinal"),
                        name="timeline_summary_one_per_ordinal",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("first_turn__gte", 1),
                            ("last_turn__gte", models.F("first_turn")),
                        ),
                        name="timeline_summary_is_of_successive_turns",
                    ),
                ],
            },
        ),
        sql.create_on_tables("timeline", "summary_table_v1"),
    ]
