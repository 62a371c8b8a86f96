"""Let a restore by steps be begun, and known again, by a request."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("data", "0006_long_restore"),
    ]

    operations = [
        migrations.AddField(
            model_name="longrestore",
            name="config_changed",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="longrestore",
            name="number",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="longrestore",
            name="request_digest",
            field=models.BinaryField(null=True),
        ),
        migrations.AddField(
            model_name="longrestore",
            name="request_key",
            field=models.TextField(db_collation="C", null=True),
        ),
        migrations.AddField(
            model_name="longrestore",
            name="skipped",
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddConstraint(
            model_name="longrestore",
            constraint=models.UniqueConstraint(
                condition=models.Q(("request_key__isnull", False)),
                fields=("session_id", "request_key"),
                name="data_longrestore_once_a_key",
            ),
        ),
    ]
