"""What lets pass what a policy would block."""

from __future__ import annotations

from datetime import datetime

from django.db import models

from apps.data.querysets import ExceptionQuerySet
from apps.timeline.fields import id_field


class PolicyException(models.Model):
    """Something that a policy of an agent blocks and that people have let pass.

    Of one exact text it has the fingerprint, never the text; else keys that begin with
    the prefix are meant. Only `ended_at` ever changes.
    """

    pk = models.CompositePrimaryKey("session_id", "id")
    # The agent's document.
    session_id = id_field()
    id = models.CharField(max_length=30, db_collation="C")
    project_id = models.CharField(max_length=31, db_collation="C")
    rule = models.CharField(max_length=64, db_collation="C")
    fingerprint = models.BinaryField(null=True)
    prefix = models.TextField(null=True, db_collation="C")
    # What the block was about, as its record says it; empty where none was named.
    kind = models.TextField(blank=True, default="")
    place = models.TextField(blank=True, default="")
    masked = models.TextField(blank=True, default="")
    reason = models.TextField()
    actor_kind = models.CharField(max_length=16, db_collation="C")
    actor_id = models.TextField(db_collation="C")
    actor_label = models.TextField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    # Since when it holds no more, because somebody has ended it.
    ended_at = models.DateTimeField(null=True)

    objects = ExceptionQuerySet.as_manager()

    class Meta:
        db_table = "data_exception"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(fingerprint__isnull=True)
                ^ models.Q(prefix__isnull=True),
                name="data_exception_names_a_text_or_a_prefix",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    def holds_at(self, now: datetime) -> bool:
        """Say whether it lets anything pass at this moment."""
        return self.ended_at is None and self.expires_at > now

    def covers(self, rule: str, key: str, fingerprint: str | None) -> bool:
        """Say whether this is what lets such a text, under such a key, pass."""
        if rule != self.rule:
            return False
        if self.prefix is not None:
            return key.startswith(self.prefix)
        mark = self.fingerprint
        return mark is not None and bytes(mark).hex() == fingerprint
