"""Make subscriptions, and messages on their way to them."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_first_release"),
        ("accounts", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.CharField(
                        db_collation="C",
                        max_length=40,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("project_id", models.CharField(db_collation="C", max_length=31)),
                ("stream_id", models.CharField(db_collation="C", max_length=31)),
                ("kind", models.CharField(db_collation="C", max_length=64)),
                ("number", models.BigIntegerField(null=True)),
                ("body", models.BinaryField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Feed",
            fields=[
                ("id", models.SmallIntegerField(primary_key=True, serialize=False)),
                ("ordinal", models.BigIntegerField(default=0)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)), name="webhooks_feed_is_one_row"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Subscription",
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
                ("url", models.TextField()),
                (
                    "description",
                    models.CharField(blank=True, default="", max_length=255),
                ),
                (
                    "format",
                    models.CharField(
                        choices=[
                            ("stepback", "Stepback: the whole message"),
                            ("slack", "Slack: a sentence with links"),
                        ],
                        default="stepback",
                        max_length=16,
                    ),
                ),
                (
                    "kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(db_collation="C", max_length=64),
                        size=None,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("enabled", "Enabled"),
                            ("disabled", "Disabled"),
                            ("failing", "Failing"),
                        ],
                        default="enabled",
                        max_length=16,
                    ),
                ),
                ("salt", models.BinaryField()),
                ("secret_prefix", models.CharField(db_collation="C", max_length=16)),
                ("old_salt", models.BinaryField(null=True)),
                ("old_secret_until", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField()),
                ("created_by", models.TextField()),
                ("since", models.DateTimeField()),
                ("failures", models.BigIntegerField(default=0)),
                ("failing_since", models.DateTimeField(null=True)),
                ("resting_until", models.DateTimeField(null=True)),
                ("last_delivered_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        to="accounts.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Lane",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "subscription_id",
                        "stream_id",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("stream_id", models.CharField(db_collation="C", max_length=31)),
                ("due_at", models.DateTimeField()),
                ("claim", models.CharField(db_collation="C", max_length=32, null=True)),
                ("last_ordinal", models.BigIntegerField()),
                (
                    "subscription",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        to="webhooks.subscription",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.CharField(
                        db_collation="C",
                        max_length=30,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("stream_id", models.CharField(db_collation="C", max_length=31)),
                ("ordinal", models.BigIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("delivered", "Delivered"),
                            ("failed", "Failed"),
                        ],
                        default="pending",
                        max_length=16,
                    ),
                ),
                ("attempts", models.IntegerField(default=0)),
                ("status_code", models.IntegerField(null=True)),
                ("error", models.TextField(blank=True, default="")),
                ("duration_ms", models.IntegerField(null=True)),
                ("attempted_at", models.DateTimeField(null=True)),
                ("first_failed_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField()),
                (
                    "message",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        to="webhooks.message",
                    ),
                ),
                (
                    "subscription",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        to="webhooks.subscription",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="subscription",
            index=models.Index(
                fields=["project", "-id"], name="webhooks_subscription_newest"
            ),
        ),
        migrations.AddConstraint(
            model_name="subscription",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["enabled", "disabled", "failing"])),
                name="webhooks_subscription_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="subscription",
            constraint=models.CheckConstraint(
                condition=models.Q(("format__in", ["stepback", "slack"])),
                name="webhooks_subscription_format_is_known",
            ),
        ),
        migrations.AddIndex(
            model_name="lane",
            index=models.Index(
                fields=["subscription", "due_at"], name="webhooks_lane_due"
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(
                fields=["subscription", "-id"], name="webhooks_delivery_newest"
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("status", "pending")),
                fields=["subscription", "stream_id", "ordinal"],
                name="webhooks_delivery_in_lane",
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["created_at"], name="webhooks_delivery_by_age"),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(
                fields=("subscription", "message"),
                name="webhooks_delivery_one_per_message",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["pending", "delivered", "failed"])),
                name="webhooks_delivery_status_is_known",
            ),
        ),
    ]
