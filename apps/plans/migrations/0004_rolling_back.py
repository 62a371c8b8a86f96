"""Let plans roll back: a target and a verdict of each item, pauses, stops, pace."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("plans", "0003_items_of_a_session"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="item",
            name="plans_item_state_is_known",
        ),
        migrations.RemoveConstraint(
            model_name="plan",
            name="plans_plan_status_is_known",
        ),
        migrations.AddField(
            model_name="item",
            name="about",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="item",
            name="target",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="item",
            name="verdict",
            field=models.CharField(
                choices=[("clean", "Clean"), ("look", "Look"), ("blocked", "Blocked")],
                db_collation="C",
                max_length=8,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="plan",
            name="crosses",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="plan",
            name="digest",
            field=models.CharField(db_collation="C", max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="plan",
            name="incident_id",
            field=models.CharField(db_collation="C", max_length=31, null=True),
        ),
        migrations.AddField(
            model_name="plan",
            name="pace",
            field=models.IntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="item",
            name="state",
            field=models.CharField(
                choices=[
                    ("unseen", "Unseen"),
                    ("planned", "Planned"),
                    ("unpicked", "Unpicked"),
                    ("left_out", "Left Out"),
                    ("done", "Done"),
                    ("moved", "Moved"),
                    ("refused", "Refused"),
                    ("failed", "Failed"),
                    ("stopped", "Stopped"),
                    ("undone", "Undone"),
                ],
                default="planned",
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="plan",
            name="status",
            field=models.CharField(
                choices=[
                    ("looking", "Looking"),
                    ("draft", "Draft"),
                    ("running", "Running"),
                    ("paused", "Paused"),
                    ("finished", "Finished"),
                ],
                default="draft",
                max_length=16,
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                condition=models.Q(("state__in", ["planned", "unseen"])),
                fields=["plan", "position"],
                name="plans_item_waiting",
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                condition=models.Q(("done_at__isnull", False)),
                fields=["plan", "done_at"],
                name="plans_item_done_at",
            ),
        ),
        migrations.AddIndex(
            model_name="plan",
            index=models.Index(
                condition=models.Q(("status", "looking")),
                fields=["id"],
                name="plans_plan_looking",
            ),
        ),
        migrations.AddIndex(
            model_name="plan",
            index=models.Index(
                condition=models.Q(("incident_id__isnull", False)),
                fields=["incident_id", "-id"],
                name="plans_plan_of_incident",
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "state__in",
                        [
                            "unseen",
                            "planned",
                            "unpicked",
                            "left_out",
                            "done",
                            "moved",
                            "refused",
                            "failed",
                            "stopped",
                            "undone",
                        ],
                    )
                ),
                name="plans_item_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict__in", ["clean", "look", "blocked"])),
                name="plans_item_verdict_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="plan",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        ["looking", "draft", "running", "paused", "finished"],
                    )
                ),
                name="plans_plan_status_is_known",
            ),
        ),
    ]
