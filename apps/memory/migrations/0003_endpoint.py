"""Keep turns that a model is asked about, and what became of asking."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0002_formation"),
    ]

    operations = [
        migrations.AddField(
            model_name="formation",
            name="failed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="formation",
            name="given_up",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="formation",
            name="reason",
            field=models.TextField(db_default="", default=""),
        ),
        migrations.AddField(
            model_name="formingturn",
            name="answer",
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name="formingturn",
            name="attempts",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="formingturn",
            name="mode",
            field=models.CharField(
                choices=[("off", "Off"), ("tags", "Tags"), ("llm", "Llm")],
                db_default="tags",
                default="tags",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="formingturn",
            name="retry_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name="formation",
            name="mode",
            field=models.CharField(
                choices=[("off", "Off"), ("tags", "Tags"), ("llm", "Llm")], max_length=8
            ),
        ),
    ]
