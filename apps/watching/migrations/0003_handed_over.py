"""Tell who watches that a session was escalated."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("watching", "0002_approvals"),
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
                    ("handed_over", "Handed Over"),
                ],
                max_length=16,
            ),
        ),
    ]
