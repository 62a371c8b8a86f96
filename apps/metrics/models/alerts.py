"""Alert rules: when somebody is to be told, and where things stand."""

from django.db import models

from apps.core import json
from apps.metrics.querysets import (
    RuleQuerySet,
)
from apps.timeline.fields import id_field


class Metric(models.TextChoices):
    """What an alert can be about."""

    ROLLBACK_RATE = "rollback_rate"
    ROLLBACKS_PER_SESSION = "rollbacks_per_session"
    UNLIKE_USUAL = "unlike_usual"
    TOOL_ERRORS = "tool_errors"
    LATENCY = "latency"
    ESCALATION = "escalation"
    FLAGGED = "flagged"
    WORKER_LAG = "worker_lag"


class Each(models.TextChoices):
    """Of what a rule makes rules of their own."""

    AGENT = "agent"
    RELEASE = "release"


class AlertState(models.TextChoices):
    """Where a rule stands."""

    OK = "ok"  # from the start, and where a wait ends early
    PENDING = "pending"  # the threshold is reached, not for long enough yet
    FIRING = "firing"  # it was, for as long as the rule asks
    RESOLVED = "resolved"  # it fired, and is over


# What people say of a rule all at once; it is switched and silenced by itself.
IN_ITS_FORM = (
    *("name", "metric", "window", "threshold", "minimum_sample", "for_minutes"),
    *("each", "agent_id", "release", "email"),
    *("quiet_from", "quiet_to", "quiet_zone"),
)


class Rule(models.Model):
    """When somebody is to be told, and where things stand.

    A rule for `each` agent or release looks at nothing itself: the worker makes a rule
    of its own for each that it meets, which follows it. Those have a `parent_id`.
    """

    id = id_field(primary_key=True)
    project_id = id_field()
    # Our id; null means the whole project.
    agent_id = models.CharField(max_length=32, null=True, db_collation="C")
    # Of that agent; null means all of them.
    release = models.CharField(max_length=200, null=True)
    each = models.CharField(
        max_length=8, choices=Each.choices, blank=True, default="", db_default=""
    )
    parent_id = id_field(null=True)
    name = models.CharField(max_length=120)
    metric = models.CharField(max_length=32, choices=Metric.choices)
    window = models.CharField(max_length=8)
    threshold = models.FloatField()
    minimum_sample = models.IntegerField()
    for_minutes = models.IntegerField(default=0)
    email = models.TextField(blank=True, default="")
    is_active = models.BooleanField(default=True)
    silenced_until = models.DateTimeField(null=True)
    # Every day from and to so many minutes after midnight nobody is told.
    quiet_from = models.SmallIntegerField(null=True)
    quiet_to = models.SmallIntegerField(null=True)
    quiet_zone = models.CharField(max_length=64, default="UTC", db_default="UTC")
    # Given to every project once; a name of it is not given again.
    is_built_in = models.BooleanField(default=False)
    state = models.CharField(
        max_length=16, choices=AlertState.choices, default=AlertState.OK
    )
    since = models.DateTimeField(null=True)
    # Whether those it tells know that it fires, and do not yet know that it is over.
    is_told = models.BooleanField(default=False)
    # Who has it while it fires: the name of a member, as it was then.
    owner = models.CharField(max_length=150, blank=True, default="", db_default="")
    acknowledged_at = models.DateTimeField(null=True)
    value = models.FloatField(null=True)
    sample = models.BigIntegerField(default=0)
    # When it was looked at, and when there last was anything to see.
    evaluated_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    objects = RuleQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project_id", "id"], name="metrics_rule_by_project")
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["parent_id", "agent_id", "release"],
                nulls_distinct=False,
                condition=models.Q(parent_id__isnull=False),
                name="metrics_rule_once_for_each",
            )
        ]

    def __str__(self) -> str:
        return str(self.name)

    @property
    def as_shown(self) -> str:
        """Return what is another text once what its form sends was changed."""
        return json.fingerprint([str(getattr(self, name)) for name in IN_ITS_FORM])


class GivenRules(models.Model):
    """That a project has been given the guide's rules: whoever removes them, did.

    `edition` says up to which of them: later ones are given to older projects, too.
    """

    project_id = id_field(primary_key=True)
    edition = models.SmallIntegerField(db_default=1)

    def __str__(self) -> str:
        return str(self.project_id)
