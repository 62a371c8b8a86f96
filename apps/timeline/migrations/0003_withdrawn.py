"""Let a review say that the session counts as not reviewed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0002_reviews"),
    ]

    operations = [
        migrations.AlterField(
            model_name="review",
            name="outcome",
            field=models.CharField(
                choices=[("fine", "Fine"), ("failed", "Failed")],
                max_length=8,
                null=True,
            ),
        ),
    ]
