"""Let an administrator delete an agent: nothing of it goes away."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0002_mapping")]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="deleted_at",
            field=models.DateTimeField(null=True),
        ),
    ]
