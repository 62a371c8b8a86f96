"""Keep since when an agent that was suspended may write again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0005_has_guards"),
    ]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="activated_at",
            field=models.DateTimeField(null=True),
        ),
    ]
