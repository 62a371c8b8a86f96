"""Make sessions and all that belongs to them, and the functions that write."""

import django.contrib.postgres.fields
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models

from apps.core import sql

# What goes with its tables, in the order in which it needs one another.
ON_TABLES = (
    "keys_v1",
    "blame_indexes_v1",
    "session_page_indexes_v1",
    "search_indexes_v1",
    "immutable_triggers_v2",
)
VIEWS = "timeline_change_current, timeline_term_current, timeline_text_current"
# What the projector calls; what keeps up to date what is open; what appends.
FUNCTIONS = (
    "take_pending_v1",
    "project_v1",
    "most_flagged_v1",
    "trim_flagged_v1",
    "flag_v1",
    "reflag_v1",
    "set_open_v1",
    "create_session_v6",
    "append_v6",
    "append_batch_v6",
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_first_release"),
        ("agents", "0001_initial"),
        # Its trigger function guards history.
        ("audit", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Body",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField()),
                ("base_number", models.BigIntegerField(null=True)),
                ("depth", models.SmallIntegerField()),
                ("codec", models.SmallIntegerField()),
                ("salt", models.BinaryField()),
                ("data", models.BinaryField()),
                ("size", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="HiddenVersions",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "first_number",
                        "last_number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("first_number", models.BigIntegerField()),
                ("last_number", models.BigIntegerField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Label",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "name",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("name", models.CharField(db_collation="C", max_length=100)),
                ("number", models.BigIntegerField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Pending",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "number",
                        "turn_number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField()),
                ("turn_number", models.BigIntegerField()),
                ("first_number", models.BigIntegerField(null=True)),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("at", models.DateTimeField()),
                (
                    "event_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), size=None
                    ),
                ),
                (
                    "items",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.IntegerField(), null=True, size=None
                    ),
                ),
                (
                    "path_keys",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BinaryField(), size=None
                    ),
                ),
                (
                    "roles",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.SmallIntegerField(), size=None
                    ),
                ),
                (
                    "kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.SmallIntegerField(), size=None
                    ),
                ),
                (
                    "value_keys",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BinaryField(null=True), size=None
                    ),
                ),
                (
                    "term_keys",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BinaryField(), size=None
                    ),
                ),
                (
                    "term_values",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BinaryField(null=True), size=None
                    ),
                ),
                ("turn_text", models.TextField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="PendingWrite",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "checkpoint_id",
                        "task_id",
                        "index",
                        "attempt",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("checkpoint_id", models.CharField(db_collation="C", max_length=255)),
                ("task_id", models.CharField(db_collation="C", max_length=255)),
                ("index", models.IntegerField()),
                ("attempt", models.IntegerField()),
                ("task_path", models.TextField()),
                ("channel", models.TextField()),
                ("type", models.TextField()),
                ("data", models.BinaryField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="RequestKey",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "key",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("key", models.CharField(db_collation="C", max_length=255)),
                ("digest", models.BinaryField()),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("metadata", models.BinaryField()),
                ("expires_at", models.DateTimeField(null=True)),
                ("requested_at", models.DateTimeField()),
                ("title", models.TextField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="SessionName",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "external_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("external_id", models.CharField(db_collation="C", max_length=255)),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
            ],
        ),
        migrations.CreateModel(
            name="Term",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "path_key",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("path_key", models.BinaryField()),
                ("value_key", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="Text",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "kind",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("kind", models.SmallIntegerField()),
                ("number", models.BigIntegerField()),
                ("words", django.contrib.postgres.search.SearchVectorField()),
            ],
        ),
        migrations.CreateModel(
            name="Change",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "path_key",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("path_key", models.BinaryField()),
                ("number", models.BigIntegerField()),
                ("role", models.SmallIntegerField()),
                ("kind", models.SmallIntegerField()),
                ("value_key", models.BinaryField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["session_id", "number"],
                        name="timeline_change_by_version",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField(null=True)),
                ("text", models.TextField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["session_id", "number"], name="timeline_note_by_version"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Open",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "kind",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("flagged", "Flagged"),
                            ("held", "Held"),
                        ],
                        db_collation="C",
                        max_length=8,
                    ),
                ),
                ("number", models.BigIntegerField()),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("agent_id", models.CharField(db_collation="C", max_length=32)),
                ("at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["project_id", "kind", "at", "session_id", "number"],
                        name="timeline_open_newest",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Turn",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "turn_number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("turn_number", models.BigIntegerField()),
                ("id", models.CharField(db_collation="C", max_length=31)),
                ("head_number", models.BigIntegerField()),
                ("made_version", models.BooleanField()),
                ("before_number", models.BigIntegerField(null=True)),
                ("state_after_sent", models.BooleanField()),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("reasoning", models.TextField(null=True)),
                ("trace_id", models.TextField()),
                ("input_type", models.TextField()),
                ("output_type", models.TextField()),
                ("codec", models.SmallIntegerField()),
                ("data", models.BinaryField()),
                ("size", models.BigIntegerField()),
                ("request_key", models.TextField(null=True)),
                ("request_digest", models.BinaryField()),
                ("salt", models.BinaryField(null=True)),
                ("reasoning_digest", models.BinaryField(null=True)),
                ("commitment", models.BinaryField(null=True)),
                ("leaf", models.BinaryField(null=True)),
                ("chain", models.BinaryField(null=True)),
                ("requested_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session_id", "id"), name="timeline_turn_one_per_id"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("request_key__isnull", False)),
                        fields=("session_id", "request_key"),
                        name="timeline_turn_one_per_request_key",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Unsearched",
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
                ("project_id", models.CharField(db_collation="C", max_length=31)),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["project_id", "-session_id"],
                        name="timeline_unsearched_newest",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session_id", models.CharField(db_collation="C", max_length=31)),
                ("number", models.BigIntegerField()),
                (
                    "op",
                    models.CharField(
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
                        ],
                        max_length=16,
                    ),
                ),
                ("restored_number", models.BigIntegerField(null=True)),
                ("undo_of", models.BigIntegerField(null=True)),
                ("reason_code", models.TextField(null=True)),
                ("parent_number", models.BigIntegerField(null=True)),
                ("body_number", models.BigIntegerField()),
                ("external_id", models.TextField(null=True)),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_id", models.TextField()),
                ("actor_label", models.TextField()),
                ("reasoning", models.TextField(null=True)),
                ("trace_id", models.TextField()),
                ("step_number", models.BigIntegerField(null=True)),
                ("step_parent_id", models.TextField(null=True)),
                ("objective_status", models.TextField(null=True)),
                ("schema_version", models.TextField(null=True)),
                ("release", models.TextField(null=True)),
                ("model", models.TextField(null=True)),
                ("size", models.BigIntegerField()),
                ("flags", models.JSONField()),
                (
                    "hold",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("paused", "Paused"),
                            ("closed", "Closed"),
                            ("deleted", "Deleted"),
                        ],
                        max_length=8,
                    ),
                ),
                ("changes", models.JSONField()),
                ("change_count", models.BigIntegerField()),
                ("changes_truncated", models.BooleanField()),
                ("request_key", models.TextField(null=True)),
                ("request_digest", models.BinaryField()),
                ("first_number", models.BigIntegerField(null=True)),
                ("salt", models.BinaryField()),
                ("reasoning_digest", models.BinaryField()),
                ("step_digest", models.BinaryField()),
                ("commitment", models.BinaryField()),
                ("leaf", models.BinaryField()),
                ("chain", models.BinaryField()),
                ("requested_at", models.DateTimeField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("restored_number__isnull", False)),
                        fields=["session_id", "-number"],
                        name="timeline_version_rollbacks",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("request_key__isnull", False)),
                        fields=("session_id", "request_key"),
                        name="timeline_version_one_per_request_key",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("external_id__isnull", False)),
                        fields=("session_id", "external_id"),
                        name="timeline_version_one_per_external_id",
                        opclasses=["varchar_ops", "text_pattern_ops"],
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 0)),
                        name="timeline_version_number_from_zero",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("restored_number__isnull", True),
                            ("restored_number__lt", models.F("number")),
                            _connector="OR",
                        ),
                        name="timeline_version_restores_an_earlier_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Opening",
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
                ("text", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="Session",
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
                ("kind", models.CharField(default="session", max_length=16)),
                ("user_id", models.TextField(null=True)),
                ("external_id", models.TextField(null=True)),
                (
                    "origin_session_id",
                    models.CharField(db_collation="C", max_length=31, null=True),
                ),
                ("origin_number", models.BigIntegerField(null=True)),
                ("created_at", models.DateTimeField()),
                ("ttl_seconds", models.BigIntegerField(null=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("expired_at", models.DateTimeField(null=True)),
                ("metadata", models.BinaryField()),
                ("metadata_index", models.JSONField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("active", "Active"),
                            ("paused", "Paused"),
                            ("closed", "Closed"),
                            ("deleted", "Deleted"),
                        ],
                        max_length=16,
                    ),
                ),
                ("head_number", models.BigIntegerField()),
                ("updated_at", models.DateTimeField()),
                ("turn_count", models.BigIntegerField(default=0)),
                ("rollback_count", models.BigIntegerField(default=0)),
                ("facets", models.JSONField(default=dict)),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="agents.agent",
                    ),
                ),
                ("title", models.TextField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["project_id", "-id"], name="timeline_session_newest"
                    ),
                    models.Index(
                        fields=["project_id", "agent", "-id"],
                        name="timeline_session_by_agent",
                    ),
                    models.Index(
                        condition=models.Q(("user_id__isnull", False)),
                        fields=["project_id", "user_id", "-id"],
                        name="timeline_session_by_user",
                        opclasses=["varchar_ops", "text_pattern_ops", "varchar_ops"],
                    ),
                    models.Index(
                        condition=models.Q(("status", "active"), _negated=True),
                        fields=["project_id", "status", "-id"],
                        name="timeline_session_by_status",
                    ),
                    models.Index(
                        condition=models.Q(("origin_session_id__isnull", False)),
                        fields=["origin_session_id", "-id"],
                        name="timeline_session_forks",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("expired_at__isnull", True), ("expires_at__isnull", False)
                        ),
                        fields=["expires_at"],
                        name="timeline_session_to_expire",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("ttl_seconds__isnull", True),
                            ("ttl_seconds__gt", 0),
                            _connector="OR",
                        ),
                        name="timeline_session_ttl_is_positive",
                    )
                ],
            },
        ),
        *(sql.create_on_tables("timeline", name) for name in ON_TABLES),
        *(
            sql.create(
                "timeline", f"search_{name}", drop=f"DROP FUNCTION timeline_{name}"
            )
            for name in ("words_v1", "note_text_v1", "set_terms_v1")
        ),
        sql.create("timeline", "current_views_v1", drop=f"DROP VIEW {VIEWS}"),
        *(sql.create_function("timeline", name) for name in FUNCTIONS),
    ]
