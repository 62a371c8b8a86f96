"""Guards of agents, and what they said of versions and turns.

A guard's rule is a revision, which is never edited: a verdict names the one it is of.
Its mode is none of it, so that what was tried is what is switched on. Verdicts follow
from a session's history: one that passes is none, one that nobody can decide is.
"""

from django.contrib.postgres.indexes import GinIndex
from django.db import models

from apps.guards.querysets import GuardQuerySet, TrialQuerySet, VerdictQuerySet
from apps.guards.words import Did, Kind, Mode, TrialStatus
from apps.timeline.fields import id_field


class Guard(models.Model):
    """What an agent's writes are held to."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    agent = models.ForeignKey("agents.Agent", on_delete=models.PROTECT, db_index=False)
    name = models.TextField()
    kind = models.CharField(max_length=24, choices=Kind.choices)
    mode = models.CharField(max_length=16, choices=Mode.choices)
    # The revision that counts, and its rule as it is kept.
    revision = models.IntegerField()
    rule = models.BinaryField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    objects = GuardQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project", "-id"], name="guards_guard_newest"),
            models.Index(fields=["agent", "id"], name="guards_guard_of_agent"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "name"],
                name="guards_guard_one_per_name",
                condition=models.Q(withdrawn_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def as_shown(self) -> str:
        """Return what is another text once anything about the guard was changed."""
        return f"{self.revision} {self.mode} {self.name}"


class GuardRevision(models.Model):
    """One rule of a guard, from a moment on. Written once, never changed."""

    pk = models.CompositePrimaryKey("guard_id", "number")
    project_id = id_field()
    guard = models.ForeignKey(Guard, on_delete=models.PROTECT, db_index=False)
    number = models.IntegerField()
    kind = models.CharField(max_length=24, choices=Kind.choices)
    rule = models.BinaryField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.guard_id} r{self.number}"


class Verdict(models.Model):
    """What one revision of a guard said of a version, or of a turn: not that it passes.

    `turn_number` is 0 where the write had no turn; without a version of its own a turn
    stands at the head that it found.
    """

    pk = models.CompositePrimaryKey("session_id", "number", "turn_number", "guard_id")
    project_id = id_field()
    session_id = id_field()
    number = models.BigIntegerField()
    turn_number = models.BigIntegerField()
    guard = models.ForeignKey(
        Guard, on_delete=models.PROTECT, db_constraint=False, db_index=False
    )
    revision = models.IntegerField()
    is_undecided = models.BooleanField()
    did = models.CharField(max_length=16, choices=Did.choices)
    created_at = models.DateTimeField()

    objects = VerdictQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["guard", "-created_at"], name="guards_verdict_of_guard"
            )
        ]

    def __str__(self) -> str:
        return f"{self.guard_id} of {self.session_id} v{self.number}"


class Trial(models.Model):
    """A revision held against days that are over; nothing is written to any session.

    `after_id` is the last session that was looked at. Examples name versions, and say
    nothing of what is in them.
    """

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    guard = models.ForeignKey(Guard, on_delete=models.PROTECT, db_index=False)
    revision = models.IntegerField()
    status = models.CharField(max_length=8, choices=TrialStatus.choices)
    since = models.DateTimeField()
    until = models.DateTimeField()
    after_id = id_field(default="")
    sessions = models.BigIntegerField(default=0)
    versions = models.BigIntegerField(default=0)
    unreadable = models.BigIntegerField(default=0)
    sessions_failed = models.BigIntegerField(default=0)
    # By day: how many were looked at, failed and could not be decided.
    days = models.JSONField(default=dict)
    examples = models.JSONField(default=list)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    objects = TrialQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["guard", "-id"], name="guards_trial_of_guard"),
            models.Index(
                fields=["id"],
                name="guards_trial_to_run",
                condition=models.Q(status__in=["waiting", "running"]),
            ),
            # A session that is removed goes from the examples.
            GinIndex(
                fields=["examples"],
                name="guards_trial_examples",
                opclasses=["jsonb_path_ops"],
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)
