"""Make the schedules of checkpoints."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("data", "0003_exception"),
    ]

    operations = [
        migrations.CreateModel(
            name="Schedule",
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
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("schedule", models.TextField(db_collation="C")),
                ("due_at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["due_at"], name="data_schedule_due")],
            },
        ),
    ]
