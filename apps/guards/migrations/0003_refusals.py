"""Keep which writes guards refused: that it was so, and nothing of them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("guards", "0002_guards"),
    ]

    operations = [
        migrations.AlterField(
            model_name="verdict",
            name="did",
            field=models.CharField(
                choices=[
                    ("nothing", "Nothing"),
                    ("flagged", "Flagged"),
                    ("held", "Held"),
                    ("stepped_back", "Stepped Back"),
                    ("asked", "Asked"),
                    ("refused", "Refused"),
                ],
                max_length=16,
            ),
        ),
        migrations.CreateModel(
            name="Refusal",
            fields=[
                (
                    "id",
                    models.CharField(
                        db_collation="C",
                        max_length=31,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                (
                    "session_id",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
                ("number", models.BigIntegerField()),
                ("revision", models.IntegerField()),
                ("is_undecided", models.BooleanField()),
                ("request_key", models.BinaryField(null=True)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "guard",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="guards.guard",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["guard", "-created_at", "-id"],
                        name="guards_refusal_of_guard",
                    ),
                    models.Index(
                        condition=models.Q(("session_id__isnull", False)),
                        fields=["session_id", "-number"],
                        name="guards_refusal_of_session",
                    ),
                    models.Index(
                        condition=models.Q(("session_id__isnull", True)),
                        fields=["created_at"],
                        name="guards_refusal_of_none",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("request_key__isnull", False)),
                        fields=("project_id", "session_id", "request_key", "guard"),
                        name="guards_refusal_once_a_request",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
    ]
