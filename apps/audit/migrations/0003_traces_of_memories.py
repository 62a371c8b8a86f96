"""Find what was done to memories by the session that taught them."""

from django.db import migrations, models
from django.db.models.fields.json import KeyTextTransform


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0002_streams"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                models.F("project_id"),
                KeyTextTransform("session_id", "details"),
                models.F("id"),
                condition=models.Q(("resource_type", "memory")),
                name="audit_event_of_memories",
            ),
        ),
    ]
