"""Index of versions only those that show another one's body."""

from django.db import migrations, models

from apps.core import sql

# In the order in which they need one another.
FUNCTIONS = ("empty_bodies_v2", "empty_v2", "prune_v2")
BEFORE = ("prune_v1", "empty_v1", "empty_bodies_v1")


class Migration(migrations.Migration):
    dependencies = [("timeline", "0027_pruned_documents")]

    operations = [
        migrations.AddIndex(
            model_name="version",
            index=models.Index(
                fields=["session_id", "body_number"],
                name="timeline_version_shows_another",
                condition=~models.Q(body_number=models.F("number")),
            ),
        ),
        migrations.RemoveIndex(model_name="version", name="timeline_version_showing"),
        *(sql.create_function("timeline", name) for name in FUNCTIONS),
        *(sql.drop_function("timeline", name) for name in BEFORE),
    ]
