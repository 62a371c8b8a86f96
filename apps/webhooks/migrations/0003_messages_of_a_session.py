"""Find messages and deliveries of a session by it, as its removal does."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("webhooks", "0002_pagerduty"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["stream_id"], name="webhooks_delivery_of"),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["stream_id"], name="webhooks_message_of"),
        ),
    ]
