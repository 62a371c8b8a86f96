"""Tell who watches that an approval is asked for, or handed to administrators."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("watching", "0001_initial"),
    ]

    operations = [
        migrations.AlterField(
            model_name="notice",
            name="happening",
            field=models.CharField(
                choices=[
                    ("rolled_back", "Rolled Back"),
                    ("held", "Held"),
                    ("flagged", "Flagged"),
                    ("asked", "Asked"),
                    ("escalated", "Escalated"),
                ],
                max_length=16,
            ),
        ),
    ]
