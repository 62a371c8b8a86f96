"""Keep details in a record's leaf by a salted digest, so that they can be erased."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0003_traces_of_memories"),
    ]

    operations = [
        migrations.AddField(
            model_name="auditrecord",
            name="details_digest",
            field=models.BinaryField(null=True),
        ),
    ]
