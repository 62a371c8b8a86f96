"""Let a project require a reason of every rollback."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_search_by_meaning"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="needs_rollback_reason",
            field=models.BooleanField(default=False),
        ),
    ]
