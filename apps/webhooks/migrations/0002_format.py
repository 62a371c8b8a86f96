from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("webhooks", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="subscription",
            name="format",
            field=models.CharField(
                choices=[
                    ("stepback", "Stepback: the whole message"),
                    ("slack", "Slack: a sentence with links"),
                ],
                default="stepback",
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="subscription",
            constraint=models.CheckConstraint(
                condition=models.Q(("format__in", ["stepback", "slack"])),
                name="webhooks_subscription_format_is_known",
            ),
        ),
    ]
