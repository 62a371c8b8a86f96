"""Answer reads from the record: whose results, what was answered, what is forgotten."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0016_state_words"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentForgetting",
            fields=[
                ("tool", models.TextField(null=True)),
                ("call_digest", models.BinaryField(null=True)),
                ("reason", models.TextField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "agent_id",
                        "id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("id", models.CharField(db_collation="C", max_length=31)),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="AgentResult",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "agent_id",
                        "call_digest",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("call_digest", models.BinaryField()),
                ("tool", models.TextField()),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("effect_id", models.CharField(db_collation="C", max_length=31)),
                ("begun_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Forgetting",
            fields=[
                ("tool", models.TextField(null=True)),
                ("call_digest", models.BinaryField(null=True)),
                ("reason", models.TextField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
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
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.AddField(
            model_name="effect",
            name="cache_scope",
            field=models.CharField(
                choices=[("session", "Session"), ("agent", "Agent")],
                max_length=7,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="effect",
            name="source_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="effect",
            name="source_effect_id",
            field=models.CharField(db_collation="C", max_length=31, null=True),
        ),
        migrations.AddField(
            model_name="effect",
            name="source_number",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="effect",
            name="source_session_id",
            field=models.CharField(db_collation="C", max_length=31, null=True),
        ),
        migrations.AlterField(
            model_name="effectstep",
            name="status",
            field=models.CharField(
                choices=[
                    ("begun", "Begun"),
                    ("done", "Done"),
                    ("failed", "Failed"),
                    ("unknown", "Unknown"),
                    ("reused", "Reused"),
                ],
                max_length=8,
            ),
        ),
        migrations.AddIndex(
            model_name="effect",
            index=models.Index(
                condition=models.Q(
                    ("effect_class", "read"), ("source_effect_id__isnull", True)
                ),
                fields=["session_id", "call_digest", "-id"],
                name="timeline_effect_results",
            ),
        ),
        migrations.AddIndex(
            model_name="effect",
            index=models.Index(
                condition=models.Q(("source_effect_id__isnull", False)),
                fields=["session_id", "source_effect_id"],
                name="timeline_effect_reused",
            ),
        ),
        migrations.AddIndex(
            model_name="agentresult",
            index=models.Index(
                fields=["project_id", "agent_id", "-effect_id"],
                name="timeline_agentresult_newest",
            ),
        ),
        sql.create_on_tables("timeline", "result_tables_v1"),
        sql.create_function("timeline", "effect_known_v1"),
        sql.create_function("timeline", "effect_begin_v2"),
        sql.drop_function("timeline", "effect_begin_v1"),
        sql.create_function("timeline", "effect_failures_v1"),
        sql.create_function("timeline", "effect_finish_v2"),
        sql.drop_function("timeline", "effect_finish_v1"),
    ]
