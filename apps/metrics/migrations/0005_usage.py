"""Roll up what turns used, by agent, release, model and currency."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0004_weekly"),
        ("timeline", "0024_usage"),
    ]

    operations = [
        migrations.CreateModel(
            name="Usage",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "hour",
                        "agent_id",
                        "release",
                        "model",
                        "currency",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("hour", models.DateTimeField()),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("release", models.CharField(db_collation="C", max_length=200)),
                ("model", models.CharField(db_collation="C", max_length=200)),
                ("currency", models.CharField(db_collation="C", max_length=3)),
                ("turns", models.BigIntegerField()),
                ("costed", models.BigIntegerField()),
                ("filled_in", models.BigIntegerField()),
                ("input_tokens", models.BigIntegerField()),
                ("output_tokens", models.BigIntegerField()),
                ("cached_tokens", models.BigIntegerField()),
                ("cost", models.DecimalField(decimal_places=12, max_digits=40)),
            ],
        ),
        sql.create_function("metrics", "usage_v1"),
    ]
