"""Make drafts findable by when they were made."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("plans", "0001_initial"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="plan",
            index=models.Index(
                condition=models.Q(("status", "draft")),
                fields=["created_at"],
                name="plans_plan_drafts",
            ),
        ),
    ]
