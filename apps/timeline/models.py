"""Sessions and everything they own: versions, bodies, changes, turns, labels.

It is written by the SQL functions in `sql/`, called from `ledger/`; the classes here
are for reading and for migrations. Triggers keep versions and bodies immutable. Every
table carries `session_id` in every key and has no sequence: it can be distributed.
"""

from typing import Any, Self

from django.db import models

from apps.timeline import bodies
from apps.timeline.annotations import HiddenVersions as HiddenVersions
from apps.timeline.annotations import Label as Label
from apps.timeline.annotations import Note as Note
from apps.timeline.annotations import PendingWrite as PendingWrite
from apps.timeline.annotations import Review as Review
from apps.timeline.annotations import Score as Score
from apps.timeline.annotations import Summary as Summary
from apps.timeline.derived import Change as Change
from apps.timeline.derived import Entry as Entry
from apps.timeline.derived import KeyHead as KeyHead
from apps.timeline.derived import Open as Open
from apps.timeline.derived import Opening as Opening
from apps.timeline.derived import Pending as Pending
from apps.timeline.derived import Tally as Tally
from apps.timeline.derived import Term as Term
from apps.timeline.derived import Text as Text
from apps.timeline.derived import Unsearched as Unsearched
from apps.timeline.effects.compensations import Compensation as Compensation
from apps.timeline.effects.compensations import CompensationStep as CompensationStep
from apps.timeline.effects.results import AgentForgetting as AgentForgetting
from apps.timeline.effects.results import AgentResult as AgentResult
from apps.timeline.effects.results import Forgetting as Forgetting
from apps.timeline.effects.rows import Effect as Effect
from apps.timeline.effects.rows import EffectDue as EffectDue
from apps.timeline.effects.rows import EffectStep as EffectStep
from apps.timeline.fields import id_field
from apps.timeline.names import RequestKey as RequestKey
from apps.timeline.names import SessionName as SessionName
from apps.timeline.querysets import SessionManager, SessionQuerySet, TurnQuerySet
from apps.timeline.removed import Tombstone as Tombstone
from apps.timeline.scores import says_failed
from apps.timeline.words import Hold, KeyedOp, Kind, Op, Outcome, Status


class Session(models.Model):
    """One conversation or run of an agent.

    The columns from `status` on are a projection for lists, written in the append
    (`review` and `scores` by who judges) and never read to decide anything. What the
    head says of its objective is one of the `facets`; `title` is what the agent has
    set, if it has.
    """

    id = id_field(primary_key=True)
    project_id = id_field()
    agent = models.ForeignKey(
        "agents.Agent", on_delete=models.PROTECT, db_constraint=False, db_index=False
    )
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.SESSION)
    user_id = models.TextField(null=True)
    external_id = models.TextField(null=True)
    title = models.TextField(null=True)
    origin_session_id = id_field(null=True)
    origin_number = models.BigIntegerField(null=True)
    # What a fork's chain goes on from, so that it is verified without its origin.
    origin_chain = models.BinaryField(null=True)
    created_at = models.DateTimeField()
    ttl_seconds = models.BigIntegerField(null=True)
    expires_at = models.DateTimeField(null=True)
    # When the end of its time was recorded: once.
    expired_at = models.DateTimeField(null=True)
    # Bytes are what was said; the jsonb beside them is cleaned and only for filters.
    metadata = models.BinaryField()
    metadata_index = models.JSONField()

    status = models.CharField(max_length=16, choices=Status.choices)
    head_number = models.BigIntegerField()
    updated_at = models.DateTimeField()
    turn_count = models.BigIntegerField(default=0)
    rollback_count = models.BigIntegerField(default=0)
    facets = models.JSONField(default=dict)
    # What the newest review says, and the newest score of each name, if there are any.
    review = models.CharField(max_length=8, choices=Outcome.choices, null=True)
    scores = models.JSONField(null=True)
    # Below this number change rows and words are gone; see `docs/keeping.md`.
    thinned_below = models.BigIntegerField(null=True)
    # Whether an app above decides on what its turns have used: see `hooks.WATCHED`.
    is_watched = models.BooleanField(db_default=False)
    # How often something of it was emptied or pruned.
    erasures = models.BigIntegerField(db_default=0)

    objects = SessionManager()
    # Keyed documents too: for what holds of every chain, whatever it is the history of.
    with_documents = SessionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(ttl_seconds__isnull=True)
                | models.Q(ttl_seconds__gt=0),
                name="timeline_session_ttl_is_positive",
            )
        ]
        indexes = [
            # Ids sort by creation: each list is one index read, newest first.
            models.Index(fields=["project_id", "-id"], name="timeline_session_newest"),
            models.Index(
                fields=["project_id", "agent", "-id"], name="timeline_session_by_agent"
            ),
            # In byte order, so that a beginning is a range of it, too.
            models.Index(
                fields=["project_id", "user_id", "-id"],
                name="timeline_session_by_user",
                opclasses=["varchar_ops", "text_pattern_ops", "varchar_ops"],
                condition=models.Q(user_id__isnull=False),
            ),
            models.Index(
                fields=["project_id", "status", "-id"],
                name="timeline_session_by_status",
                condition=~models.Q(status="active"),
            ),
            models.Index(
                fields=["origin_session_id", "-id"],
                name="timeline_session_forks",
                condition=models.Q(origin_session_id__isnull=False),
            ),
            # Whose end is still to be recorded: few have one.
            models.Index(
                fields=["expires_at"],
                name="timeline_session_to_expire",
                condition=models.Q(expires_at__isnull=False, expired_at__isnull=True),
            ),
            # What a search of the past looks into, because its rows are gone.
            models.Index(
                fields=["project_id", "-id"],
                name="timeline_session_thinned",
                condition=models.Q(thinned_below__isnull=False),
            ),
            models.Index(
                fields=["project_id", "review", "-id"],
                name="timeline_session_reviewed",
                condition=models.Q(review__isnull=False),
            ),
            models.Index(
                fields=["project_id", "-id"],
                name="timeline_session_scored",
                condition=models.Q(scores__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def has_lost(self) -> bool:
        """Whether a removal took something of it, or what is derived of it."""
        return bool(self.erasures or self.thinned_below)

    @property
    def is_failed(self) -> bool:
        """Whether the newest review says failed or, without one, a score does."""
        return says_failed(self.review, self.scores or {})


class Version(models.Model):
    """One immutable state of a session, and why it came to be."""

    pk = models.CompositePrimaryKey("session_id", "number")
    session_id = id_field()
    number = models.BigIntegerField()
    op = models.CharField(max_length=16, choices=[*Op.choices, *KeyedOp.choices])
    restored_number = models.BigIntegerField(null=True)
    undo_of = models.BigIntegerField(null=True)
    # The second parent of what was merged, the digest of what was chosen for conflicts,
    # and whether opaque parts came from there, which is what a checkpointer goes by.
    source_session_id = id_field(null=True)
    source_number = models.BigIntegerField(null=True)
    source_digest = models.BinaryField(null=True)
    source_opaque = models.BooleanField(null=True)
    reason_code = models.TextField(null=True)
    parent_number = models.BigIntegerField(null=True)
    body_number = models.BigIntegerField()
    external_id = models.TextField(null=True)

    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    reasoning = models.TextField(null=True)
    trace_id = models.TextField()
    step_number = models.BigIntegerField(null=True)
    step_parent_id = models.TextField(null=True)
    objective_status = models.TextField(null=True)
    schema_version = models.TextField(null=True)
    release = models.TextField(null=True)
    model = models.TextField(null=True)

    size = models.BigIntegerField()
    flags = models.JSONField()
    hold = models.CharField(max_length=8, choices=Hold.choices)
    # For showing: short before/after of the first changes. Derived, not proven.
    changes = models.JSONField()
    change_count = models.BigIntegerField()
    changes_truncated = models.BooleanField()

    request_key = models.TextField(null=True)
    request_digest = models.BinaryField()
    # On the last version of a batch, which has its key: where the batch begins.
    first_number = models.BigIntegerField(null=True)
    salt = models.BinaryField()
    reasoning_digest = models.BinaryField()
    step_digest = models.BinaryField()
    commitment = models.BinaryField()
    leaf = models.BinaryField()
    chain = models.BinaryField()
    requested_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session_id", "request_key"],
                name="timeline_version_one_per_request_key",
                condition=models.Q(request_key__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["session_id", "external_id"],
                name="timeline_version_one_per_external_id",
                # In byte order, so that a beginning is a range of it, too.
                opclasses=["varchar_ops", "text_pattern_ops"],
                condition=models.Q(external_id__isnull=False),
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=0),
                name="timeline_version_number_from_zero",
            ),
            models.CheckConstraint(
                condition=models.Q(restored_number__isnull=True)
                | models.Q(restored_number__lt=models.F("number")),
                name="timeline_version_restores_an_earlier_one",
            ),
        ]
        indexes = [
            # Which versions are set aside is read from the rollbacks alone.
            models.Index(
                fields=["session_id", "-number"],
                name="timeline_version_rollbacks",
                condition=models.Q(restored_number__isnull=False),
            ),
            # What was brought back already: asked by each promotion.
            models.Index(
                fields=["session_id", "source_session_id", "-number"],
                name="timeline_version_merged",
                condition=models.Q(source_session_id__isnull=False),
            ),
            # Who shows a body: asked of each that a removal takes.
            models.Index(
                fields=["session_id", "body_number"], name="timeline_version_showing"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} v{self.number}"

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> Self:
        """Return a stored version, what is said of it opened where that was sealed.

        Raises: KeysUnavailable.
        """
        version = super().from_db(*args, **kwargs)
        known = version.__dict__
        if "session_id" in known and "reasoning" in known:
            said = bodies.opened_text(version.session_id, version.reasoning)
            version.reasoning = said
        if "session_id" in known and "changes" in known:
            shown = bodies.opened_changes(version.session_id, version.changes)
            version.changes = shown
        return version


class Body(models.Model):
    """The stored bytes of a version's parts; several versions may show one body."""

    pk = models.CompositePrimaryKey("session_id", "number")
    session_id = id_field()
    number = models.BigIntegerField()
    base_number = models.BigIntegerField(null=True)
    depth = models.SmallIntegerField()
    codec = models.SmallIntegerField()
    salt = models.BinaryField()
    data = models.BinaryField()
    size = models.BigIntegerField()

    class Meta:
        indexes = [
            # What builds on a body: asked of each that a removal takes.
            models.Index(
                fields=["session_id", "base_number"],
                name="timeline_body_building",
                condition=models.Q(base_number__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} body {self.number}"


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
