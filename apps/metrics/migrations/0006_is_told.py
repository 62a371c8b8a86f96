from django.db import migrations, models

# Who was told by the release before is not told once more.
TOLD_BEFORE = """
UPDATE metrics_rule SET is_told = true
 WHERE state = 'firing' AND (silenced_until IS NULL OR silenced_until <= now())
"""


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0005_revision"),
    ]

    operations = [
        migrations.AddField(
            model_name="rule",
            name="is_told",
            field=models.BooleanField(default=False),
        ),
        migrations.RunSQL(TOLD_BEFORE, reverse_sql=migrations.RunSQL.noop),
    ]
