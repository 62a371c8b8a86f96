"""Let an erasure say that it waits for files."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("erasures", "0001_initial"),
    ]

    operations = [
        migrations.AlterField(
            model_name="erasure",
            name="waits_for",
            field=models.CharField(
                choices=[
                    ("legal_hold", "Legal Hold"),
                    ("damaged_history", "Damaged"),
                    ("files", "Files"),
                ],
                db_collation="C",
                default="",
                max_length=16,
            ),
        ),
    ]
