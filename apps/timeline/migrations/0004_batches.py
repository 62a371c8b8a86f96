"""Batches: on the last version of one, the number of its first; and their function."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("timeline", "0003_append_only")]

    operations = [
        migrations.AddField(
            model_name="version",
            name="first_number",
            field=models.BigIntegerField(null=True),
        ),
        sql.create(
            "timeline", "append_batch_v1", drop="DROP FUNCTION timeline_append_batch_v1"
        ),
    ]
