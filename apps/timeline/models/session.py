"""The session's row: whose it is, and what lists show of it."""

from django.db import models

from apps.timeline.fields import id_field
from apps.timeline.querysets import SessionManager, SessionQuerySet
from apps.timeline.scores import says_failed
from apps.timeline.words import Kind, Outcome, Status


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
            # Shared documents by name, in byte order: a beginning is a range of it.
            models.Index(
                fields=["project_id", "external_id"],
                name="timeline_session_shared",
                opclasses=["varchar_ops", "text_pattern_ops"],
                condition=models.Q(kind="shared"),
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
