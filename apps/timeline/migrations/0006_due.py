"""Find the documents that have keys whose time is over."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("timeline", "0005_documents")]

    operations = [
        migrations.AddIndex(
            model_name="keyhead",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["expires_at"],
                name="timeline_keyhead_due",
            ),
        ),
    ]
