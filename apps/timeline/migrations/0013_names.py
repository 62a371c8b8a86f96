"""Users and names of versions in byte order: they are found by their beginning."""

from django.db import migrations, models

from apps.core import sql


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0002_names"),
        ("timeline", "0012_open_before"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="version",
            name="timeline_version_one_per_external_id",
        ),
        migrations.RemoveIndex(
            model_name="session",
            name="timeline_session_by_user",
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=models.Q(("user_id__isnull", False)),
                fields=["project_id", "user_id", "-id"],
                name="timeline_session_by_user",
                opclasses=["varchar_ops", "text_pattern_ops", "varchar_ops"],
            ),
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.UniqueConstraint(
                condition=models.Q(("external_id__isnull", False)),
                fields=("session_id", "external_id"),
                name="timeline_version_one_per_external_id",
                opclasses=["varchar_ops", "text_pattern_ops"],
            ),
        ),
        sql.create("timeline", "search_names_v1", drop=migrations.RunSQL.noop),
    ]
