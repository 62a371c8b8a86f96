"""Let a member who operates be allowed to read what is masked."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_masks"),
    ]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="reads_unmasked",
            field=models.BooleanField(default=False),
        ),
    ]
