"""Make blobs, who may name them, and which versions do."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_first_release"),
    ]

    operations = [
        migrations.CreateModel(
            name="Grant",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "digest",
                        "agent",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("digest", models.CharField(db_collation="C", max_length=64)),
                ("agent", models.TextField(db_collation="C")),
            ],
        ),
        migrations.CreateModel(
            name="Blob",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "digest",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("digest", models.CharField(db_collation="C", max_length=64)),
                ("generation", models.BigIntegerField()),
                ("size", models.BigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("stored", "Stored"), ("condemned", "Condemned")],
                        db_collation="C",
                        default="stored",
                        max_length=9,
                    ),
                ),
                ("leased_until", models.DateTimeField()),
                (
                    "erasure_id",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["leased_until"], name="blobs_blob_by_lease"),
                    models.Index(
                        condition=models.Q(("erasure_id__isnull", False)),
                        fields=["erasure_id"],
                        name="blobs_blob_erasing",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["stored", "condemned"])),
                        name="blobs_blob_state_is_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Use",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "digest",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("digest", models.CharField(db_collation="C", max_length=64)),
                ("number", models.BigIntegerField()),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["project_id", "digest"], name="blobs_use_of_blob"
                    )
                ],
            },
        ),
    ]
