"""Name migrations among the operations of versions."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("timeline", "0022_merging"),
    ]

    operations = [
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
                    ("migrate", "Migrate"),
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
    ]
