"""Who is told of what, what was sent, and in which order.

A subscription's messages about one session are a lane: they go out one after another,
and one that fails holds back its own lane only. A message is made once, as the bytes
that are sent; a delivery is that message on its way to one subscription.
"""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.core import json
from apps.webhooks.querysets import DeliveryQuerySet, SubscriptionQuerySet


class Status(models.TextChoices):
    """Whether a subscription is told of anything."""

    ENABLED = "enabled"  # from its creation, or by enable
    DISABLED = "disabled"  # by a person: it misses what happens meanwhile
    FAILING = "failing"  # by itself, after days without one success


class Format(models.TextChoices):
    """What is sent: the same news in another form."""

    STEPBACK = "stepback", "Stepback: the whole message"
    SLACK = "slack", "Slack: a sentence with links"
    PAGERDUTY = "pagerduty", "PagerDuty: alerts as events"


class Progress(models.TextChoices):
    """How far a delivery is."""

    PENDING = "pending"  # it waits for its turn, or for another attempt
    DELIVERED = "delivered"  # an attempt was answered with 2xx
    FAILED = "failed"  # given up after days; it can be sent once more


class Feed(models.Model):
    """Counts deliveries: the only row. Locked by whoever puts some into lanes."""

    id = models.SmallIntegerField(primary_key=True)
    # They leave a lane in this order.
    ordinal = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(id=1), name="webhooks_feed_is_one_row"
            )
        ]

    def __str__(self) -> str:
        return f"{self.ordinal} deliveries"


class Subscription(models.Model):
    """An address that is told of some kinds of events of one project."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    url = models.TextField()
    description = models.CharField(max_length=255, blank=True, default="")
    format = models.CharField(
        max_length=16, choices=Format.choices, default=Format.STEPBACK
    )
    kinds = ArrayField(models.CharField(max_length=64, db_collation="C"))
    status = models.CharField(
        max_length=16, choices=Status.choices, default=Status.ENABLED
    )
    # The secret follows from these and the installation's key: it is kept nowhere.
    salt = models.BinaryField()
    secret_prefix = models.CharField(max_length=16, db_collation="C")
    # The secret before it, which still signs beside it until then.
    old_salt = models.BinaryField(null=True)
    old_secret_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    created_by = models.TextField()
    # Since when it is told: events from before do not concern it.
    since = models.DateTimeField()
    # Attempts that failed since the last that did not, since when, and the last of
    # them. After hours without an attempt it is asked anew how it is: they are none.
    failures = models.BigIntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    # While it fails again and again: no attempt before this.
    resting_until = models.DateTimeField(null=True)
    last_delivered_at = models.DateTimeField(null=True)

    objects = SubscriptionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=Status.values),
                name="webhooks_subscription_status_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(format__in=Format.values),
                name="webhooks_subscription_format_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["project", "-id"], name="webhooks_subscription_newest"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def is_enabled(self) -> bool:
        return self.status == Status.ENABLED

    @property
    def as_shown(self) -> str:
        """Return what is another text once what its form sends was changed."""
        said = [self.url, self.description, str(self.format), *self.kinds]
        return json.fingerprint(said)

    def signs_with_old(self, now: datetime) -> bool:
        """Say whether the secret before still counts."""
        until = self.old_secret_until
        return self.old_salt is not None and until is not None and now < until


class Message(models.Model):
    """What is sent: the same bytes to every subscription, at every attempt."""

    id = models.CharField(max_length=40, primary_key=True, db_collation="C")
    project_id = models.CharField(max_length=31, db_collation="C")
    stream_id = models.CharField(max_length=31, db_collation="C")
    kind = models.CharField(max_length=64, db_collation="C")
    # The version that it speaks of, for people who look for it.
    number = models.BigIntegerField(null=True)
    body = models.BinaryField()
    created_at = models.DateTimeField()

    class Meta:
        # They go with their session.
        indexes = [models.Index(fields=["stream_id"], name="webhooks_message_of")]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class Delivery(models.Model):
    """One message on its way to one subscription."""

    id = models.CharField(max_length=30, primary_key=True, db_collation="C")
    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE)
    message = models.ForeignKey(Message, on_delete=models.CASCADE)
    stream_id = models.CharField(max_length=31, db_collation="C")
    ordinal = models.BigIntegerField()
    status = models.CharField(
        max_length=16, choices=Progress.choices, default=Progress.PENDING
    )
    attempts = models.IntegerField(default=0)
    # Of the last attempt: what was answered, or why nothing was.
    status_code = models.IntegerField(null=True)
    error = models.TextField(blank=True, default="")
    duration_ms = models.IntegerField(null=True)
    attempted_at = models.DateTimeField(null=True)
    first_failed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["subscription", "message"],
                name="webhooks_delivery_one_per_message",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=Progress.values),
                name="webhooks_delivery_status_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["subscription", "-id"], name="webhooks_delivery_newest"
            ),
            models.Index(
                fields=["subscription", "stream_id", "ordinal"],
                name="webhooks_delivery_in_lane",
                condition=models.Q(status="pending"),
            ),
            # What is old is forgotten.
            models.Index(fields=["created_at"], name="webhooks_delivery_by_age"),
            # They go with their session.
            models.Index(fields=["stream_id"], name="webhooks_delivery_of"),
        ]

    def __str__(self) -> str:
        return f"{self.message_id} {self.status}"


class Lane(models.Model):
    """What waits for one subscription about one session; a worker claims it whole.

    Until `due_at` it is left alone: an attempt has failed, or it is claimed. A claim
    that is not renewed runs out, so a worker that is gone blocks nothing for long.
    """

    pk = models.CompositePrimaryKey("subscription_id", "stream_id")
    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE)
    stream_id = models.CharField(max_length=31, db_collation="C")
    due_at = models.DateTimeField()
    claim = models.CharField(max_length=32, null=True, db_collation="C")
    # The newest delivery that was put in: an empty lane is removed only if it is done.
    last_ordinal = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["subscription", "due_at"], name="webhooks_lane_due"),
        ]

    def __str__(self) -> str:
        return f"{self.subscription_id} {self.stream_id}"
