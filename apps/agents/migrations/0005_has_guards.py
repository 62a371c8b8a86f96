"""Say whether guards of an agent were made."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0004_has_schemas"),
    ]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="has_guards",
            field=models.BooleanField(default=False),
        ),
    ]
