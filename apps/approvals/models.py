"""Approvals: what people are asked to allow, their votes, and rules about asking.

An approval and its votes are history: rows that are never edited. How an approval
stands follows from its last row, the clock and the session (`standing.py`). Which are
undecided is kept beside, for lists, and follows from them. All but rules belong to a
session and carry its id in every key.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.approvals.querysets import (
    ApprovalQuerySet,
    ApprovalRuleQuerySet,
    UndecidedQuerySet,
    VoteQuerySet,
)
from apps.approvals.words import Class, Expiry, Status, Verdict, Who
from apps.timeline.fields import id_field


class Approval(models.Model):
    """One request; `number` is its wait, whose state it rests on."""

    pk = models.CompositePrimaryKey("session_id", "id")
    session_id = id_field()
    id = id_field()
    project_id = id_field()
    agent = models.ForeignKey(
        "agents.Agent", on_delete=models.PROTECT, db_constraint=False, db_index=False
    )
    number = models.BigIntegerField()
    # The caller's own name of the request, once in a session but for those that
    # replace each other: the newest counts.
    key = models.TextField(null=True, db_collation="C")
    tool = models.TextField()
    effect_class = models.CharField(max_length=16, choices=Class.choices)
    # Bytes are what was said.
    arguments = models.BinaryField()
    schema = models.BinaryField(null=True)
    reason = models.TextField(null=True)
    # Pointers into the state; `binding` is a keyed digest of tool, arguments and what
    # stands there.
    depends_on = ArrayField(models.TextField(), default=list)
    binding = models.BinaryField()
    votes = models.SmallIntegerField()
    who = models.CharField(max_length=16, choices=Who.choices)
    expires_at = models.DateTimeField()
    on_expiry = models.CharField(max_length=16, choices=Expiry.choices)
    # The one that this was asked in place of, and which facts failed then, as JSON:
    # key, status, what was remembered and what is so.
    replaces = models.TextField(null=True, db_collation="C")
    changes = models.BinaryField(null=True)
    # The rule that asked for it, if one did.
    rule_id = models.TextField(null=True, db_collation="C")
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = ApprovalQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session_id", "number"], name="approvals_one_per_wait"
            ),
            models.UniqueConstraint(
                fields=["session_id", "key"],
                name="approvals_one_per_key",
                condition=models.Q(key__isnull=False, replaces__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["session_id", "replaces"],
                name="approvals_replaced_once",
                condition=models.Q(replaces__isnull=False),
            ),
            models.CheckConstraint(
                condition=models.Q(votes__in=(1, 2)), name="approvals_one_or_two_votes"
            ),
        ]
        indexes = [
            models.Index(fields=["project_id", "-id"], name="approvals_newest"),
            models.Index(
                fields=["project_id", "agent", "-id"], name="approvals_by_agent"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.id}"

    @property
    def lives(self) -> timedelta:
        return self.expires_at - self.created_at

    @property
    def ends_at(self) -> datetime:
        """When it is rejected at the latest: administrators have as long again."""
        later = self.lives if self.on_expiry == Expiry.ESCALATE else timedelta()
        return self.expires_at + later

    def is_escalated(self, now: datetime) -> bool:
        """Say whether administrators alone decide by now."""
        return self.on_expiry == Expiry.ESCALATE and now >= self.expires_at


class Vote(models.Model):
    """A person's vote, or what time did; the one that ends it has the outcome."""

    pk = models.CompositePrimaryKey("session_id", "approval_id", "ordinal")
    session_id = id_field()
    approval_id = id_field()
    ordinal = models.SmallIntegerField()
    project_id = id_field()
    agent = models.ForeignKey(
        "agents.Agent", on_delete=models.PROTECT, db_constraint=False, db_index=False
    )
    verdict = models.CharField(max_length=16, choices=Verdict.choices)
    # Whether it came after the outcome, and changed nothing.
    is_late = models.BooleanField(default=False)
    comment = models.TextField(null=True)
    # Edited ones; null where those of the request are meant.
    arguments = models.BinaryField(null=True)
    outcome = models.CharField(max_length=16, choices=Status.choices, null=True)
    # The version `decide`, of the row that has the outcome.
    number = models.BigIntegerField(null=True)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = VoteQuerySet.as_manager()

    class Meta:
        indexes = [
            # What was decided, newest first.
            models.Index(
                fields=["project_id", "-created_at", "-approval_id"],
                name="approvals_decided",
                condition=models.Q(outcome__isnull=False),
            ),
            models.Index(
                fields=["project_id", "outcome", "-created_at", "-approval_id"],
                name="approvals_decided_so",
                condition=models.Q(outcome__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} on {self.approval_id}"


class Undecided(models.Model):
    """An approval without an outcome, for lists; it follows from the rows above."""

    pk = models.CompositePrimaryKey("session_id", "approval_id")
    session_id = id_field()
    approval_id = id_field()
    project_id = id_field()
    agent = models.ForeignKey(
        "agents.Agent", on_delete=models.PROTECT, db_constraint=False, db_index=False
    )
    number = models.BigIntegerField()
    # When it ends, or is handed to administrators: the next moment the sweep looks.
    due_at = models.DateTimeField()

    objects = UndecidedQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["project_id", "due_at", "approval_id"], name="approvals_first"
            ),
            models.Index(fields=["due_at"], name="approvals_due"),
        ]

    def __str__(self) -> str:
        return str(self.approval_id)


class ApprovalRule(models.Model):
    """When an agent has to ask, and who decides then; made and removed, not edited."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    agent = models.ForeignKey("agents.Agent", on_delete=models.PROTECT, db_index=False)
    # A tool or a class; null: any.
    tool = models.TextField(null=True)
    effect_class = models.CharField(max_length=16, choices=Class.choices, null=True)
    # A check on the arguments, which it calls `state`, as one line.
    check_text = models.TextField(null=True)
    votes = models.SmallIntegerField()
    who = models.CharField(max_length=16, choices=Who.choices)
    expires_in = models.IntegerField()
    on_expiry = models.CharField(max_length=16, choices=Expiry.choices)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = ApprovalRuleQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["project", "agent", "id"], name="approvals_rule_of_agent"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)
