"""Let a project search its old states by meaning, which is off until it is wanted."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_floor"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="search_by_meaning",
            field=models.BooleanField(default=False),
        ),
    ]
