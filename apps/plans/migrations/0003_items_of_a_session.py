"""Find what plans did to a session by the session, as its removal does."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("plans", "0002_drafts"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["session_id"], name="plans_item_of_session"),
        ),
    ]
