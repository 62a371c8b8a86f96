"""Let an export wait for the keys of its project."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("exports", "0001_initial"),
    ]

    operations = [
        migrations.AlterField(
            model_name="export",
            name="waits_for",
            field=models.CharField(
                blank=True,
                choices=[("store", "Store"), ("keys", "Keys")],
                db_collation="C",
                default="",
                max_length=8,
            ),
        ),
    ]
