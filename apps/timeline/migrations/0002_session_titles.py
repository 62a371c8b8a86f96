"""Let sessions say what they are about: a title that is set, and their first words."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [("timeline", "0001_initial")]

    operations = [
        migrations.AddField("session", "title", models.TextField(null=True)),
        migrations.AddField("requestkey", "title", models.TextField(null=True)),
        migrations.CreateModel(
            name="Opening",
            fields=[
                (
                    "session_id",
                    models.CharField(
                        db_collation="C",
                        max_length=31,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("text", models.TextField()),
            ],
        ),
        sql.create_function("timeline", "create_session_v6"),
        sql.drop_function("timeline", "create_session_v5"),
    ]
