"""Keep when an attempt failed last, so that days without one are no days of failure."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0003_messages_of_a_session")]

    operations = [
        migrations.AddField(
            model_name="subscription",
            name="failed_at",
            field=models.DateTimeField(null=True),
        ),
    ]
