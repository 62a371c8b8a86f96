"""What lists and searches read of memories; the memories are entries of documents."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from apps.memory.querysets import MARKS, ContextReadQuerySet, MemoryQuerySet
from apps.timeline.fields import id_field


class MemoryScope(models.TextChoices):
    """Whose a memory is."""

    SESSION = "session"  # ends with its session
    USER = "user"
    AGENT = "agent"
    PROJECT = "project"


class Status(models.TextChoices):
    """What is thought of a memory."""

    BELIEVED = "believed"
    PROPOSED = "proposed"  # too little is known: a person accepts or drops it
    REPLACED = "replaced"  # another one says it now
    DROPPED = "dropped"  # taken back; it can be restored
    TAKEN = "taken"  # a proposed patch that was written to its session
    REMOVED = "removed"  # deleted: its entry is absent


class Memory(models.Model):
    """What the newest entry under a memory's id says, as far as it is looked for.

    It follows from the entry, and is made anew from it after a restore. What is shown
    is read from the entry itself, whose body is proven.
    """

    pk = models.CompositePrimaryKey("document_id", "id")
    document_id = id_field()
    id = models.CharField(max_length=30, db_collation="C")
    project_id = id_field()
    scope = models.CharField(max_length=8, choices=MemoryScope.choices)
    # The session's id, the user's, what its code calls the agent; empty of a project.
    owner = models.TextField(db_collation="C")
    type = models.TextField(db_collation="C")
    tags = ArrayField(models.TextField(db_collation="C"))
    confidence = models.FloatField()
    status = models.CharField(max_length=8, choices=Status.choices)
    # Ids of memories whose texts were near this one when it was written.
    near = ArrayField(models.TextField(db_collation="C"))
    replaced_by = models.CharField(max_length=30, null=True, db_collation="C")
    reinforced = models.BigIntegerField(default=0)
    # Where its text came from, and who said it again.
    session_id = id_field(null=True)
    version = models.BigIntegerField(null=True)
    taught_by = ArrayField(models.TextField(db_collation="C"))
    # Of those who said it again, how many are not kept by name.
    untraced = models.BigIntegerField(default=0, db_default=0)
    external_id = models.TextField(null=True, db_collation="C")
    # The entry: the version of the document, and how often something was done to it.
    number = models.BigIntegerField()
    ordinal = models.BigIntegerField()
    # Of the normalised text, keyed with the project's own key.
    digest = models.BinaryField()
    words = ArrayField(models.TextField(db_collation="C"))
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)

    objects = MemoryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(scope__in=MemoryScope.values),
                name="memory_memory_scope_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=Status.values),
                name="memory_memory_status_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], name="memory_memory_by_id"),
            models.Index(fields=["document_id", "digest"], name="memory_memory_text"),
            models.Index(
                fields=["project_id", "external_id"],
                name="memory_memory_external",
                condition=models.Q(external_id__isnull=False),
            ),
            models.Index(
                fields=["project_id", "scope", "owner", "-id"],
                name="memory_memory_newest",
            ),
            models.Index(
                fields=["expires_at"],
                name="memory_memory_due",
                condition=models.Q(expires_at__isnull=False),
            ),
            GinIndex(fields=["taught_by"], name="memory_memory_source"),
            GinIndex(
                models.Func("document_id", "words", function=MARKS),
                name="memory_memory_words",
            ),
            models.Index(
                fields=["document_id"],
                name="memory_memory_untraced",
                condition=models.Q(untraced__gt=0),
            ),
            models.Index(
                fields=["document_id", "expires_at"],
                name="memory_memory_believed",
                condition=models.Q(status="believed"),
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class Mode(models.TextChoices):
    """How an agent's turns form memories."""

    OFF = "off"
    TAGS = "tags"  # what it marks in its outputs
    LLM = "llm"  # what a model proposes, asked at the server's endpoint


class Formation(models.Model):
    """Whether an agent's turns form memories; one that is not here forms none."""

    agent_id = models.CharField(max_length=32, db_collation="C", primary_key=True)
    project_id = id_field()
    mode = models.CharField(max_length=8, choices=Mode.choices)
    # Turns of which nothing was formed, when that was last, and why.
    given_up = models.BigIntegerField(default=0, db_default=0)
    failed_at = models.DateTimeField(null=True)
    reason = models.TextField(default="", db_default="")

    class Meta:
        indexes = [models.Index(fields=["project_id"], name="memory_formation_project")]

    def __str__(self) -> str:
        return f"{self.agent_id} {self.mode}"


class FormingTurn(models.Model):
    """A turn that is to form memories; the worker takes it away.

    `answer` is what a model has answered, until all of it is proposed: a model that has
    answered is not asked again.
    """

    pk = models.CompositePrimaryKey("session_id", "turn_id")
    session_id = id_field()
    turn_id = id_field()
    project_id = id_field()
    noted_at = models.DateTimeField()
    mode = models.CharField(
        max_length=8, choices=Mode.choices, default=Mode.TAGS, db_default="tags"
    )
    # Of calls to the endpoint; none is made before `retry_at`.
    attempts = models.PositiveSmallIntegerField(default=0, db_default=0)
    retry_at = models.DateTimeField(null=True)
    answer = models.TextField(null=True)

    class Meta:
        indexes = [models.Index(fields=["noted_at"], name="memory_formingturn_oldest")]

    def __str__(self) -> str:
        return str(self.turn_id)


class ContextRead(models.Model):
    """Which memories the context of a session was given, at which version of it.

    The question is not kept: it is content, and this cannot be erased by itself.
    """

    pk = models.CompositePrimaryKey("session_id", "id")
    session_id = id_field()
    id = id_field()
    project_id = id_field()
    # The head that the context showed.
    version = models.BigIntegerField()
    # Of the memories and their versions: the same ones are noted once a version.
    digest = models.BinaryField()
    # The nearest first; a memory's version (`ordinal`) and score in the same place.
    memories = ArrayField(models.CharField(max_length=30, db_collation="C"))
    ordinals = ArrayField(models.BigIntegerField())
    # Null where there was no question.
    scores = ArrayField(models.FloatField(null=True))
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = ContextReadQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session_id", "version", "digest"],
                name="memory_contextread_once_a_version",
            )
        ]

    def __str__(self) -> str:
        return str(self.id)
