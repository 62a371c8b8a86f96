"""Ask again what rests on facts that failed a check, in place of what is void then."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0003_deleted"),
        ("approvals", "0001_initial"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="approval",
            name="approvals_one_per_key",
        ),
        migrations.AddField(
            model_name="approval",
            name="changes",
            field=models.BinaryField(null=True),
        ),
        migrations.AddField(
            model_name="approval",
            name="replaces",
            field=models.TextField(db_collation="C", null=True),
        ),
        migrations.AlterField(
            model_name="vote",
            name="verdict",
            field=models.CharField(
                choices=[
                    ("approve", "Approve"),
                    ("reject", "Reject"),
                    ("escalate", "Escalate"),
                    ("expire", "Expire"),
                    ("void", "Void"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="approval",
            constraint=models.UniqueConstraint(
                condition=models.Q(("key__isnull", False), ("replaces__isnull", True)),
                fields=("session_id", "key"),
                name="approvals_one_per_key",
            ),
        ),
        migrations.AddConstraint(
            model_name="approval",
            constraint=models.UniqueConstraint(
                condition=models.Q(("replaces__isnull", False)),
                fields=("session_id", "replaces"),
                name="approvals_replaced_once",
            ),
        ),
    ]
