"""Turns of a session: what was said to the agent, and what it answered."""

from typing import Any, Self

from django.db import models

from apps.timeline import bodies
from apps.timeline.fields import id_field
from apps.timeline.querysets import TurnQuerySet


class Turn(models.Model):
    """One exchange with the agent. `head_number` is the version it left as the head."""

    pk = models.CompositePrimaryKey("session_id", "turn_number")
    session_id = id_field()
    turn_number = models.BigIntegerField()
    id = id_field()
    head_number = models.BigIntegerField()
    # Whether the turn made that version, or found it.
    made_version = models.BooleanField()
    # The version whose state equals the `state_before` that was sent; a differing
    # one is kept with the turn.
    before_number = models.BigIntegerField(null=True)
    state_after_sent = models.BooleanField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    reasoning = models.TextField(null=True)
    trace_id = models.TextField()
    input_type = models.TextField()
    output_type = models.TextField()
    codec = models.SmallIntegerField()
    data = models.BinaryField()
    size = models.BigIntegerField()
    request_key = models.TextField(null=True)
    request_digest = models.BinaryField()
    # Null in turns from before there was a chain of turns.
    salt = models.BinaryField(null=True)
    reasoning_digest = models.BinaryField(null=True)
    commitment = models.BinaryField(null=True)
    leaf = models.BinaryField(null=True)
    chain = models.BinaryField(null=True)
    requested_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    # What it says it used, and the totals of the session's turns up to it: see `usage`.
    usage = models.JSONField(null=True)
    spent = models.JSONField(null=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session_id", "id"], name="timeline_turn_one_per_id"
            ),
            models.UniqueConstraint(
                fields=["session_id", "request_key"],
                name="timeline_turn_one_per_request_key",
                condition=models.Q(request_key__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} turn {self.turn_number}"

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> Self:
        """Return a stored turn, its reasoning opened where that was sealed.

        Raises: KeysUnavailable.
        """
        turn = super().from_db(*args, **kwargs)
        said: str | None = turn.__dict__.get("reasoning")
        if said is not None and "session_id" in turn.__dict__:
            turn.reasoning = bodies.opened_text(turn.session_id, said)
        return turn

    @property
    def is_emptied(self) -> bool:
        """Whether its header stands without what was said."""
        return self.codec == bodies.EMPTIED

    def parts(self) -> dict[str, bytes]:
        """Return what was stored with the turn, by name: input, output and more.

        Raises: bodies.CorruptBody, also for a turn that was emptied.
        """
        place = bodies.Place(self.session_id, bytes(self.salt or b""))
        return bodies.turn_parts(self.codec, bytes(self.data), self.size, place)
