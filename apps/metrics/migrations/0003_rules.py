"""Give rules releases, quiet hours and owners, and rules for each agent or release."""

from django.db import migrations, models

METRICS = [
    ("rollback_rate", "Rollback Rate"),
    ("rollbacks_per_session", "Rollbacks Per Session"),
    ("unlike_usual", "Unlike Usual"),
    ("tool_errors", "Tool Errors"),
    ("latency", "Latency"),
    ("escalation", "Escalation"),
    ("flagged", "Flagged"),
    ("worker_lag", "Worker Lag"),
]
ADDED = {
    "release": models.CharField(max_length=200, null=True),
    "each": models.CharField(
        blank=True,
        choices=[("agent", "Agent"), ("release", "Release")],
        db_default="",
        default="",
        max_length=8,
    ),
    "parent_id": models.CharField(db_collation="C", max_length=31, null=True),
    "quiet_from": models.SmallIntegerField(null=True),
    "quiet_to": models.SmallIntegerField(null=True),
    "quiet_zone": models.CharField(db_default="UTC", default="UTC", max_length=64),
    "owner": models.CharField(blank=True, db_default="", default="", max_length=150),
    "acknowledged_at": models.DateTimeField(null=True),
    "seen_at": models.DateTimeField(null=True),
}


class Migration(migrations.Migration):
    dependencies = [("metrics", "0002_ends")]

    operations = [
        *(
            migrations.AddField(model_name="rule", name=name, field=field)
            for name, field in ADDED.items()
        ),
        migrations.AlterField(
            model_name="rule",
            name="metric",
            field=models.CharField(choices=METRICS, max_length=32),
        ),
        migrations.AddConstraint(
            model_name="rule",
            constraint=models.UniqueConstraint(
                fields=["parent_id", "agent_id", "release"],
                nulls_distinct=False,
                condition=models.Q(parent_id__isnull=False),
                name="metrics_rule_once_for_each",
            ),
        ),
        migrations.AddField(
            model_name="givenrules",
            name="edition",
            field=models.SmallIntegerField(db_default=1),
        ),
    ]
