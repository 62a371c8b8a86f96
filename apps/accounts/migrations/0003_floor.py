"""Let a project have policies of its own, which its agents' configs cannot lower."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_authenticators"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="floor",
            field=models.TextField(default="{}"),
        ),
    ]
