"""What is attached to a history without changing it.

Labels, notes and reviews of people; scores of agents and evaluators; summaries of
turns; of a checkpointer, writes that wait for their step and marks on what it has
deleted. None is state, so none makes a version. A label can be taken away again; the
others stay as they were written. `models.py` passes all on.
"""

from django.db import models

from apps.timeline.fields import id_field
from apps.timeline.querysets import (
    LabelQuerySet,
    NoteQuerySet,
    ReviewQuerySet,
    ScoreQuerySet,
    SummaryQuerySet,
)
from apps.timeline.words import Outcome


class Label(models.Model):
    """A name that somebody gave a version, such as `known-good`."""

    pk = models.CompositePrimaryKey("session_id", "name", "number")
    session_id = id_field()
    name = models.CharField(max_length=100, db_collation="C")
    number = models.BigIntegerField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = LabelQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} on v{self.number}"


class Note(models.Model):
    """What somebody wrote down about a session, or about one version of it."""

    pk = models.CompositePrimaryKey("session_id", "id")
    session_id = id_field()
    id = id_field()
    number = models.BigIntegerField(null=True)
    text = models.TextField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = NoteQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["session_id", "number"], name="timeline_note_by_version"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.id}"


class Review(models.Model):
    """How a session went, as somebody says who has looked at it; the newest counts.

    Without an outcome the session counts as not reviewed: the one review was withdrawn.
    """

    pk = models.CompositePrimaryKey("session_id", "ordinal")
    session_id = id_field()
    # From 1 on, in the order in which they were given.
    ordinal = models.BigIntegerField()
    outcome = models.CharField(max_length=8, choices=Outcome.choices, null=True)
    why = models.TextField(null=True)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = ReviewQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.session_id} review {self.ordinal}: {self.outcome}"


class Score(models.Model):
    """A number that an agent gave a session; of each name the newest counts."""

    pk = models.CompositePrimaryKey("session_id", "name", "ordinal")
    session_id = id_field()
    name = models.CharField(max_length=100, db_collation="C")
    # From 1 on for each name.
    ordinal = models.BigIntegerField()
    value = models.FloatField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = ScoreQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.session_id} {self.name} = {self.value}"


class Summary(models.Model):
    """What was said in successive turns, told shortly; the turns stay as they are.

    `head_number` is the version that the last of them left as the head: once that is
    set aside, the summary tells of what is no longer so, and does not count.
    """

    pk = models.CompositePrimaryKey("session_id", "id")
    session_id = id_field()
    id = id_field()
    # From 1 on, in the order in which they were written.
    ordinal = models.BigIntegerField()
    first_turn = models.BigIntegerField()
    last_turn = models.BigIntegerField()
    head_number = models.BigIntegerField()
    text = models.TextField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = SummaryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session_id", "ordinal"],
                name="timeline_summary_one_per_ordinal",
            ),
            models.CheckConstraint(
                condition=models.Q(first_turn__gte=1)
                & models.Q(last_turn__gte=models.F("first_turn")),
                name="timeline_summary_is_of_successive_turns",
            ),
        ]
        indexes = [
            # The one that reaches furthest first, of these the last one written.
            models.Index(
                fields=["session_id", "-last_turn", "-ordinal"],
                name="timeline_summary_furthest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} turns {self.first_turn} to {self.last_turn}"


class PendingWrite(models.Model):
    """What a task of a checkpointer wrote, before the checkpoint that will hold it.

    It stands beside the checkpoint of that name, which may arrive after it. A write of
    the same task and index comes once, or as the next attempt; the newest counts.
    """

    pk = models.CompositePrimaryKey(
        "session_id", "checkpoint_id", "task_id", "index", "attempt"
    )
    session_id = id_field()
    checkpoint_id = models.CharField(max_length=255, db_collation="C")
    task_id = models.CharField(max_length=255, db_collation="C")
    index = models.IntegerField()
    attempt = models.IntegerField()
    task_path = models.TextField()
    channel = models.TextField()
    type = models.TextField()
    data = models.BinaryField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.session_id} write {self.index} of {self.task_id}"


class HiddenVersions(models.Model):
    """Versions that a checkpointer has deleted for itself: it sees them no more."""

    pk = models.CompositePrimaryKey("session_id", "first_number", "last_number")
    session_id = id_field()
    first_number = models.BigIntegerField()
    last_number = models.BigIntegerField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.session_id} without v{self.first_number} to v{self.last_number}"
