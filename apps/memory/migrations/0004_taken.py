"""Let a proposed patch be taken: it became a version of its session."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0003_endpoint"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="memory",
            name="memory_memory_status_is_known",
        ),
        migrations.AlterField(
            model_name="memory",
            name="status",
            field=models.CharField(
                choices=[
                    ("believed", "Believed"),
                    ("proposed", "Proposed"),
                    ("replaced", "Replaced"),
                    ("dropped", "Dropped"),
                    ("taken", "Taken"),
                    ("removed", "Removed"),
                ],
                max_length=8,
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        [
                            "believed",
                            "proposed",
                            "replaced",
                            "dropped",
                            "taken",
                            "removed",
                        ],
                    )
                ),
                name="memory_memory_status_is_known",
            ),
        ),
    ]
