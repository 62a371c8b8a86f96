"""Let policies say after how many days bodies are archived."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("retention", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="policy",
            name="archive_days",
            field=models.IntegerField(null=True),
        ),
    ]
