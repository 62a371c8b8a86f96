"""Keep the keys that data is encrypted with, themselves wrapped."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_needs_rollback_reason"),
    ]

    operations = [
        migrations.CreateModel(
            name="SubjectKey",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "subject_digest",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("subject_digest", models.BinaryField()),
                ("mark", models.BinaryField(unique=True)),
                ("data_key_number", models.BigIntegerField()),
                ("wrapped", models.BinaryField()),
            ],
        ),
        migrations.AddField(
            model_name="project",
            name="data_key",
            field=models.BigIntegerField(null=True),
        ),
        migrations.CreateModel(
            name="DataKey",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField()),
                ("mark", models.BinaryField(unique=True)),
                ("wrapped", models.BinaryField()),
                ("outer_id", models.CharField(db_collation="C", max_length=64)),
                ("made_at", models.DateTimeField()),
                ("retired_at", models.DateTimeField(null=True)),
                ("sweep", models.JSONField(default=dict)),
                ("swept_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)),
                        name="accounts_datakey_number_from_one",
                    )
                ],
            },
        ),
    ]
