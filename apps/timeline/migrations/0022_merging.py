"""Name the second parent of versions that were merged."""

from django.db import migrations, models

from apps.core import sql
from apps.timeline.fields import id_field

# In the order in which they need one another.
FUNCTIONS = ("append_v8", "append_batch_v8")
BEFORE = ("append_batch_v7", "append_v7")
COLUMNS = {
    "source_session_id": id_field(null=True),
    "source_number": models.BigIntegerField(null=True),
    "source_digest": models.BinaryField(null=True),
    "source_opaque": models.BooleanField(null=True),
}


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0021_archives"),
    ]

    operations = [
        *(
            migrations.AddField(model_name="version", name=name, field=field)
            for name, field in COLUMNS.items()
        ),
        migrations.AddIndex(
            model_name="version",
            index=models.Index(
                fields=["session_id", "source_session_id", "-number"],
                name="timeline_version_merged",
                condition=models.Q(source_session_id__isnull=False),
            ),
        ),
        migrations.AlterField(
            model_name="version",
            name="op",
            field=models.CharField(
                choices=[
                    ("create", "Create"),
                    ("update", "Update"),
                    ("replace", "Replace"),
                    ("turn", "Turn"),
                    ("rollback", "Rollback"),
                    ("promote", "Promote"),
                    ("revert", "Revert"),
                    ("reapply", "Reapply"),
                    ("restore", "Restore"),
                    ("fork", "Fork"),
                    ("pause", "Pause"),
                    ("resume", "Resume"),
                    ("wait", "Wait"),
                    ("decide", "Decide"),
                    ("close", "Close"),
                    ("delete", "Delete"),
                    ("set", "Set"),
                    ("remove", "Remove"),
                    ("remove_prefix", "Remove Prefix"),
                    ("expire", "Expire"),
                    ("configure", "Configure"),
                ],
                max_length=16,
            ),
        ),
        *(sql.create_function("timeline", name) for name in FUNCTIONS),
        *(sql.drop_function("timeline", name) for name in BEFORE),
    ]
