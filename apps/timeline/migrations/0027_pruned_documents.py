"""Have tombstones of pruned documents say from where on all of these is there."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("timeline", "0026_tasked")]

    operations = [
        migrations.AddField(
            model_name="tombstone",
            name="shown_from",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddIndex(
            model_name="tombstone",
            index=models.Index(
                fields=["session_id", "-shown_from"],
                name="timeline_tombstone_shown",
                condition=models.Q(("shown_from__isnull", False)),
            ),
        ),
    ]
