"""Let webhooks send what PagerDuty takes."""

from django.db import migrations, models

CHOICES = [
    ("stepback", "Stepback: the whole message"),
    ("slack", "Slack: a sentence with links"),
    ("pagerduty", "PagerDuty: alerts as events"),
]
KNOWN = "webhooks_subscription_format_is_known"


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="subscription",
            name="format",
            field=models.CharField(choices=CHOICES, default="stepback", max_length=16),
        ),
        migrations.RemoveConstraint(model_name="subscription", name=KNOWN),
        migrations.AddConstraint(
            model_name="subscription",
            constraint=models.CheckConstraint(
                condition=models.Q(("format__in", [value for value, _ in CHOICES])),
                name=KNOWN,
            ),
        ),
    ]
