"""One index less on every act: an event's id is looked for in its project."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_append_only")]

    operations = [
        migrations.RemoveIndex(model_name="event", name="audit_event_by_id"),
    ]
