"""Policies, their previews and removals, and legal holds.

A policy is never changed: another one takes its place, so what a preview was about and
what a removal ran is what stands there. Requests insert rows and switch policies;
what is removed, the retention role alone removes.
"""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q

from apps.retention.querysets import (
    LegalHoldQuerySet,
    PolicyQuerySet,
    RemovalQuerySet,
)
from apps.retention.words import HoldKind, State
from apps.timeline.fields import id_field


class Policy(models.Model):
    """After how many days what goes, of a project or of one agent; null: never."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    agent = models.ForeignKey(
        "agents.Agent", on_delete=models.PROTECT, null=True, db_constraint=False
    )
    thin_days = models.IntegerField(null=True)
    archive_days = models.IntegerField(null=True)
    empty_days = models.IntegerField(null=True)
    prune_days = models.IntegerField(null=True)
    remove_days = models.IntegerField(null=True)
    # Of sessions that were deleted, or whose time was over.
    ended_days = models.IntegerField(null=True)
    # So many of the newest versions of a session stay, whatever their age.
    keep_last = models.IntegerField(default=1)
    # Of whom it is about and its days: a preview is of such a policy.
    digest = models.CharField(max_length=64, db_collation="C")
    is_enabled = models.BooleanField(default=False)
    preview_id = id_field(null=True)
    made_by_kind = models.CharField(max_length=16, db_collation="C")
    made_by_id = models.TextField(db_collation="C")
    made_by_label = models.TextField()
    created_at = models.DateTimeField()
    enabled_at = models.DateTimeField(null=True)
    disabled_at = models.DateTimeField(null=True)
    # When a sweep was through with it last, whatever it found.
    swept_at = models.DateTimeField(null=True)

    objects = PolicyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project"],
                name="retention_policy_one_of_a_project",
                condition=Q(is_enabled=True, agent__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["project", "agent"],
                name="retention_policy_one_of_an_agent",
                condition=Q(is_enabled=True, agent__isnull=False),
            ),
            models.CheckConstraint(
                condition=Q(keep_last__gte=1), name="retention_policy_keeps_the_head"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-id"], name="retention_policy_newest"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Removal(models.Model):
    """A run of a policy, or a preview of one: how far it is, and what it counted.

    `cursor` is where it goes on; it moves in the transaction that did what is counted.
    """

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    policy = models.ForeignKey(Policy, on_delete=models.PROTECT)
    is_preview = models.BooleanField()
    policy_digest = models.CharField(max_length=64, db_collation="C")
    state = models.CharField(max_length=16, choices=State.choices)
    cursor = models.JSONField(default=dict)
    counts = models.JSONField(default=dict)
    # Whether it looked at all sessions that the policy is about.
    is_complete = models.BooleanField(default=False)
    error = models.TextField(blank=True, default="")
    asked_by_label = models.TextField()
    # The moment that days are counted back from, also where it is taken up later.
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    objects = RemovalQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=State.values),
                name="retention_removal_state_is_known",
            ),
            models.UniqueConstraint(
                fields=["policy"],
                name="retention_removal_one_runs",
                condition=Q(state="running"),
            ),
        ]
        indexes = [
            models.Index(
                fields=["project", "is_preview", "-id"],
                name="retention_removal_newest",
            ),
            models.Index(
                fields=["id"],
                name="retention_removal_to_preview",
                condition=Q(state="previewing"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.id}"


class LegalHold(models.Model):
    """What must not go while it stands: of a session, a person, an agent, a project."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    kind = models.CharField(max_length=16, choices=HoldKind.choices)
    # Our id of the session, the agent or the project; the caller's of a person.
    value = models.TextField(db_collation="C")
    reason = models.TextField()
    until = models.DateTimeField(null=True)
    set_by_kind = models.CharField(max_length=16, db_collation="C")
    set_by_id = models.TextField(db_collation="C")
    set_by_label = models.TextField()
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ended_by_label = models.TextField(null=True)
    end_reason = models.TextField(null=True)

    objects = LegalHoldQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=HoldKind.values),
                name="retention_legalhold_kind_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["project", "kind", "value"],
                name="retention_legalhold_open",
                condition=Q(ended_at__isnull=True),
            ),
            models.Index(fields=["project", "-id"], name="retention_legalhold_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    def stands(self, now: datetime) -> bool:
        """Say whether it counts at this moment."""
        return self.ended_at is None and (self.until is None or now < self.until)


class Heartbeat(models.Model):
    """When the sweeping process was last there, and when a sweep was last over."""

    id = models.SmallIntegerField(primary_key=True)
    at = models.DateTimeField()
    swept_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(id=1), name="retention_heartbeat_is_one_row"
            )
        ]

    def __str__(self) -> str:
        return f"{self.at}"
