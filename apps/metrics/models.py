"""Rollups: what closed hours added up to. Derived; `rebuild_rollups` makes them anew.

Small beside the ledger, and never a source of truth: an hour that is not in them, or
is in them no longer, is counted from the facts when somebody asks.
"""

from django.db import models

from apps.accounts.models import Project, User
from apps.metrics.querysets import (
    ReaderQuerySet,
    RuleQuerySet,
    SummaryMailQuerySet,
)
from apps.timeline.fields import id_field


class Sum(models.Model):
    """What can be added up: an agent's numbers in one hour."""

    pk = models.CompositePrimaryKey("project_id", "hour", "agent_id")
    project_id = id_field()
    hour = models.DateTimeField()
    agent_id = models.CharField(max_length=32, db_collation="C")
    began = models.BigIntegerField()
    versions = models.BigIntegerField()
    turns = models.BigIntegerField()
    rollbacks = models.BigIntegerField()
    undos = models.BigIntegerField()
    repeats = models.BigIntegerField()
    forks = models.BigIntegerField()
    # Versions that rollbacks set aside, and seconds between going wrong and stepping
    # back: sums over `rollbacks`.
    aside = models.BigIntegerField()
    waited = models.FloatField()
    stored = models.BigIntegerField()
    # Of turns that said so: calls of tools, those that failed; how many told how long
    # they took, and how long in all.
    tool_calls = models.BigIntegerField(db_default=0)
    tool_errors = models.BigIntegerField(db_default=0)
    timed = models.BigIntegerField(db_default=0)
    latency_ms = models.BigIntegerField(db_default=0)
    latency_max = models.BigIntegerField(db_default=0)
    # By which functions the hour was added up: the first counted neither ends, nor
    # calls for a human, nor flags, nor the longest latency.
    counted_by = models.SmallIntegerField(db_default=1)

    def __str__(self) -> str:
        return f"{self.agent_id} {self.hour}"


class Reach(models.Model):
    """How many sessions had something in an hour, by how long ago they last had it.

    `gap` is in hours, 0 where they never had it before. With it, the sessions of any
    stretch of hours are a sum that counts nobody twice.
    """

    pk = models.CompositePrimaryKey(
        "project_id", "hour", "agent_id", "measure", "value", "gap"
    )
    project_id = id_field()
    hour = models.DateTimeField()
    agent_id = models.CharField(max_length=32, db_collation="C")
    measure = models.CharField(max_length=32, db_collation="C")
    value = models.CharField(max_length=200, db_collation="C")
    gap = models.IntegerField()
    sessions = models.BigIntegerField()
    acts = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.measure} {self.value} {self.hour}"


class Usage(models.Model):
    """What an agent's turns said they used in an hour, by release, model, currency.

    Empty where a turn told none. Turns that said nothing are in no row.
    """

    pk = models.CompositePrimaryKey(
        "project_id", "hour", "agent_id", "release", "model", "currency"
    )
    project_id = id_field()
    hour = models.DateTimeField()
    agent_id = models.CharField(max_length=32, db_collation="C")
    release = models.CharField(max_length=200, db_collation="C")
    model = models.CharField(max_length=200, db_collation="C")
    currency = models.CharField(max_length=3, db_collation="C")
    turns = models.BigIntegerField()
    # Of those, how many had a cost, and of how many a price list filled it in.
    costed = models.BigIntegerField()
    filled_in = models.BigIntegerField()
    input_tokens = models.BigIntegerField()
    output_tokens = models.BigIntegerField()
    cached_tokens = models.BigIntegerField()
    cost = models.DecimalField(max_digits=40, decimal_places=12)

    def __str__(self) -> str:
        return f"{self.agent_id} {self.model} {self.hour}"


class Revision(models.Model):
    """How often an hour of a project was rolled up: what is remembered goes by it."""

    project_id = id_field(primary_key=True)
    number = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.project_id} {self.number}"


class Due(models.Model):
    """An hour of a project that is to be rolled up, or again."""

    pk = models.CompositePrimaryKey("project_id", "hour")
    project_id = id_field()
    hour = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.project_id} {self.hour}"


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


class GivenRules(models.Model):
    """That a project has been given the guide's rules: whoever removes them, did.

    `edition` says up to which of them: later ones are given to older projects, too.
    """

    project_id = id_field(primary_key=True)
    edition = models.SmallIntegerField(db_default=1)

    def __str__(self) -> str:
        return str(self.project_id)


class SummaryReader(models.Model):
    """One member's wish to have the weekly summary of a project by mail."""

    id = id_field(primary_key=True)
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    user = models.ForeignKey(User, on_delete=models.PROTECT)
    email = models.EmailField()
    created_at = models.DateTimeField()

    objects = ReaderQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user"], name="metrics_reader_one_per_member"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id} reads of {self.project_id}"


class WeekTold(models.Model):
    """What was told of a project's week, from a Monday on: whoever makes it, tells."""

    id = id_field(primary_key=True)
    project_id = id_field()
    start = models.DateTimeField()
    told = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["start", "project_id"], name="metrics_week_told_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.project_id} {self.start:%Y-%m-%d}"


class SummaryMail(models.Model):
    """A weekly summary for one member, until it was sent."""

    pk = models.CompositePrimaryKey("week_id", "reader_id")
    week = models.ForeignKey(WeekTold, on_delete=models.CASCADE)
    reader = models.ForeignKey(SummaryReader, on_delete=models.CASCADE)

    objects = SummaryMailQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.reader_id} {self.week_id}"
