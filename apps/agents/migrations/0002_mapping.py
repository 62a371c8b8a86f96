"""Let an administrator map what an agent's states say."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="title_path",
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name="agent",
            name="user_path",
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name="agent",
            name="waiting",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), null=True, size=None
            ),
        ),
        migrations.AddField(
            model_name="agent",
            name="noise",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="agent",
            name="mapped_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="agent",
            name="remap_after",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="agent",
            name="remapped_to",
            field=models.CharField(db_collation="C", default="", max_length=32),
        ),
    ]
