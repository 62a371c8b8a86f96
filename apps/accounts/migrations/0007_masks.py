"""Let a project say what masked keys are not shown, and keys be masked."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_encrypting"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="masks",
            field=models.TextField(default="[]"),
        ),
        migrations.AlterField(
            model_name="apikey",
            name="scope",
            field=models.CharField(
                choices=[
                    ("masked", "Masked"),
                    ("read", "Read"),
                    ("write", "Write"),
                    ("admin", "Admin"),
                ],
                max_length=16,
            ),
        ),
        migrations.RemoveConstraint(
            model_name="apikey", name="accounts_apikey_scope_is_known"
        ),
        migrations.AddConstraint(
            model_name="apikey",
            constraint=models.CheckConstraint(
                condition=models.Q(("scope__in", ["masked", "read", "write", "admin"])),
                name="accounts_apikey_scope_is_known",
            ),
        ),
    ]
