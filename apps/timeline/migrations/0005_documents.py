"""Keep keyed documents: sessions whose versions each write one key."""

from django.db import migrations, models

from apps.core import sql

# In the order in which they need one another.
FUNCTIONS = (
    *("keyed_lock_v1", "keyed_store_v1", "keyed_begin_v1", "keyed_write_v1"),
    *("keyed_remove_v1", "keyed_restored_v1", "keyed_show_v1", "keyed_restore_v1"),
    "keyed_expire_v1",
)


class Migration(migrations.Migration):
    dependencies = [
        # Its function appends the record of each act.
        ("audit", "0002_streams"),
        ("timeline", "0004_kind"),
    ]

    operations = [
        migrations.CreateModel(
            name="Tally",
            fields=[
                (
                    "session_id",
                    models.CharField(
                        db_collation="C",
                        max_length=31,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("keys", models.BigIntegerField()),
                ("bytes", models.BigIntegerField()),
                ("config_ordinal", models.BigIntegerField()),
            ],
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
                    ("fork", "Fork"),
                    ("pause", "Pause"),
                    ("resume", "Resume"),
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
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "key",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("key", models.TextField(db_collation="C")),
                ("number", models.BigIntegerField()),
                ("ordinal", models.BigIntegerField()),
                ("body_number", models.BigIntegerField(null=True)),
                ("size", models.BigIntegerField()),
                ("expires_at", models.DateTimeField(null=True)),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("set", "Set"),
                            ("removed", "Removed"),
                            ("restored", "Restored"),
                            ("expired", "Expired"),
                        ],
                        max_length=8,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["session_id", "number"], name="timeline_entry_by_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="KeyHead",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "key",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("key", models.TextField(db_collation="C")),
                ("number", models.BigIntegerField()),
                ("ordinal", models.BigIntegerField()),
                ("body_number", models.BigIntegerField()),
                ("size", models.BigIntegerField()),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("expires_at__isnull", False)),
                        fields=["session_id", "expires_at"],
                        name="timeline_keyhead_to_expire",
                    )
                ],
            },
        ),
        sql.create(
            "timeline",
            "keyed_types_v1",
            drop="DROP TYPE timeline_keyed_item_v1, timeline_keyed_act_v1",
        ),
        sql.create_on_tables("timeline", "keyed_tables_v1"),
        *(sql.create_function("timeline", name) for name in FUNCTIONS),
    ]
