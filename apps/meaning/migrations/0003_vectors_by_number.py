"""Find the newest vectors of a document by an index of half the bytes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("meaning", "0002_past"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="vector",
            index=models.Index(
                fields=["stream_id", "number"], name="meaning_vector_by_number"
            ),
        ),
        migrations.RemoveIndex(
            model_name="vector",
            name="meaning_vector_newest",
        ),
    ]
