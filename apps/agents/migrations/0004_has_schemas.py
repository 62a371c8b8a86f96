"""Say whether schemas of an agent's states are declared."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0003_deleted"),
    ]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="has_schemas",
            field=models.BooleanField(default=False),
        ),
    ]
