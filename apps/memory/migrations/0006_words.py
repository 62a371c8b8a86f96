"""Find memories by their words, and count them, without reading all of an owner's."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0005_context_reads"),
    ]

    operations = [
        sql.create_function("memory", "marks_v1"),
        migrations.AddIndex(
            model_name="memory",
            index=GinIndex(
                models.Func(
                    "document_id",
                    "words",
                    function="memory_marks_v1",
                ),
                name="memory_memory_words",
            ),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("status", "believed")),
                fields=["document_id", "expires_at"],
                name="memory_memory_believed",
            ),
        ),
    ]
