"""Count those who said a memory again and are not kept by name."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0006_words"),
    ]

    operations = [
        migrations.AddField(
            model_name="memory",
            name="untraced",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("untraced__gt", 0)),
                fields=["document_id"],
                name="memory_memory_untraced",
            ),
        ),
    ]
