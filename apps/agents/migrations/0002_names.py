"""Agents in the order of their names, by the beginning of which they are found."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_links_and_saved_views"),
        ("agents", "0001_initial"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="agent",
            index=models.Index(
                fields=["project", "name"],
                name="agents_agent_by_name",
                opclasses=["varchar_ops", "varchar_pattern_ops"],
            ),
        ),
    ]
