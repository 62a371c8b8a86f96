"""Effects and their steps: what an agent begins outside, and what came of it.

Both are only ever added to. What an effect is now is its last step, and a begun one
whose deadline is over reads as unknown. `models.py` passes all on.
"""

from django.db import models

from apps.timeline.effects.querysets import DueQuerySet, EffectQuerySet
from apps.timeline.fields import id_field
from apps.timeline.words import CacheScope, EffectClass, EffectStatus


class Effect(models.Model):
    """One act of an agent outside, under a key that is the session's own.

    Without a class it counts as irreversible. `number` is the version it was decided
    on. The digest of tool and arguments is keyed; arguments are kept up to a size.
    `cache_scope` says who else may be answered with its result. What `source_` names
    is the effect whose result answered this one: nothing was called then.
    """

    pk = models.CompositePrimaryKey("session_id", "id")
    session_id = id_field()
    id = id_field()
    key = models.CharField(max_length=200, db_collation="C")
    tool = models.TextField()
    call_digest = models.BinaryField()
    call_id = models.TextField(null=True)
    effect_class = models.CharField(
        max_length=12, choices=EffectClass.choices, null=True
    )
    arguments = models.BinaryField(null=True)
    arguments_size = models.BigIntegerField()
    undo = models.BinaryField(null=True)
    undo_until = models.DateTimeField(null=True)
    takes_provider_key = models.BooleanField()
    number = models.BigIntegerField()
    cache_scope = models.CharField(max_length=7, choices=CacheScope.choices, null=True)
    source_session_id = id_field(null=True)
    source_effect_id = id_field(null=True)
    source_number = models.BigIntegerField(null=True)
    source_at = models.DateTimeField(null=True)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = EffectQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session_id", "key"], name="timeline_effect_one_per_key"
            ),
        ]
        indexes = [
            # What may answer a call; what was answered itself is passed by.
            models.Index(
                fields=["session_id", "call_digest", "-id"],
                name="timeline_effect_results",
                condition=models.Q(effect_class="read", source_effect_id__isnull=True),
            ),
            models.Index(
                fields=["session_id", "source_effect_id"],
                name="timeline_effect_reused",
                condition=models.Q(source_effect_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.id}"


class EffectStep(models.Model):
    """What an effect has come to: begun, done, failed, unknown, by which attempt.

    The one step of what the record has answered is `reused`.

    `head_number` is the version that was the head then: a rollback to it or to one
    before it restores a state that does not know of this. `digest` is of what was
    said, so that a repetition is known.
    """

    pk = models.CompositePrimaryKey("session_id", "effect_id", "ordinal")
    session_id = id_field()
    effect_id = id_field()
    # From 1 on.
    ordinal = models.BigIntegerField()
    status = models.CharField(max_length=8, choices=EffectStatus.choices)
    attempt = models.BigIntegerField()
    head_number = models.BigIntegerField()
    deadline = models.DateTimeField(null=True)
    result = models.BinaryField(null=True)
    result_reference = models.TextField(null=True)
    result_digest = models.TextField(null=True)
    external_id = models.TextField(null=True)
    reason = models.TextField(null=True)
    digest = models.BinaryField(null=True)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(ordinal__gte=1, attempt__gte=1),
                name="timeline_effectstep_from_one",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.effect_id} {self.status}"


class EffectDue(models.Model):
    """An effect that is begun, and when nobody waits for its end any longer.

    It follows from the last steps, for the sweep that tells what became unknown.
    """

    pk = models.CompositePrimaryKey("session_id", "effect_id")
    session_id = id_field()
    effect_id = id_field()
    due_at = models.DateTimeField()

    objects = DueQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], name="timeline_effectdue_first"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.effect_id}"
