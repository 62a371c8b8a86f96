"""Turns get what proves them, as versions have; those from before have none of it."""

from django.db import migrations, models

from apps.core import sql

PROOF = ("salt", "reasoning_digest", "commitment", "leaf", "chain")


class Migration(migrations.Migration):
    dependencies = [("timeline", "0018_pending")]

    operations = [
        *(
            migrations.AddField("turn", name, models.BinaryField(null=True))
            for name in PROOF
        ),
        migrations.AddField("turn", "requested_at", models.DateTimeField(null=True)),
        # Of a database that was made between two releases.
        *(
            migrations.RunSQL(
                f"DROP FUNCTION IF EXISTS timeline_{name}_v5", migrations.RunSQL.noop
            )
            for name in ("append_batch", "append")
        ),
        # An append names its head's chain value, and its API key is checked under the
        # lock. The batch calls it, so it comes after it.
        sql.create_function("timeline", "append_v6"),
        sql.create_function("timeline", "append_batch_v6"),
    ]
