"""Who is told by mail of what happens, and what one shift tells the next.

Owns watches, the mails that wait to be sent, and hand-over notes; sends nothing itself.
"""

from __future__ import annotations

from django.db import models

from apps.accounts.models import Project, User
from apps.timeline.fields import id_field
from apps.watching.querysets import (
    HandoverQuerySet,
    NoticeQuerySet,
    WatchQuerySet,
)


class Happening(models.TextChoices):
    """What a watch tells of."""

    ROLLED_BACK = "rolled_back"
    HELD = "held"
    FLAGGED = "flagged"  # a version looks wrong
    ASKED = "asked"  # an approval is asked for
    ESCALATED = "escalated"  # administrators decide about one
    HANDED_OVER = "handed_over"  # the agent cannot go on: its state or calls say so


class Subject(models.TextChoices):
    """What is watched."""

    SESSION = "session"
    AGENT = "agent"  # all of its sessions


class Watch(models.Model):
    """One member's wish to be told of a session, or of all sessions of an agent."""

    id = id_field(primary_key=True)
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    user = models.ForeignKey(User, on_delete=models.PROTECT)
    subject = models.CharField(max_length=8, choices=Subject.choices)
    # The session's id, or the agent's.
    subject_id = models.CharField(max_length=32, db_collation="C")
    email = models.EmailField()
    created_at = models.DateTimeField()

    objects = WatchQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "subject_id", "user"],
                name="watching_watch_one_per_member",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} watches {self.subject_id}"


class Notice(models.Model):
    """Something that happened to what is watched, until it was sent."""

    pk = models.CompositePrimaryKey("watch_id", "event_id")
    watch = models.ForeignKey(Watch, on_delete=models.CASCADE)
    event_id = models.CharField(max_length=32, db_collation="C")
    session_id = id_field()
    number = models.BigIntegerField()
    happening = models.CharField(max_length=16, choices=Happening.choices)
    actor_label = models.TextField()
    at = models.DateTimeField()

    objects = NoticeQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.session_id} v{self.number} {self.happening}"


class Handover(models.Model):
    """What a shift tells the next one on the project's first page; never changed."""

    id = id_field(primary_key=True)
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    text = models.TextField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = HandoverQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project", "-id"], name="watching_handover_newest"),
        ]

    def __str__(self) -> str:
        return str(self.id)
