"""Events are fed from an outbox: no place in them is kept."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0002_format")]

    operations = [
        migrations.RemoveField(model_name="feed", name="after_xid"),
        migrations.RemoveField(model_name="feed", name="after_id"),
    ]
