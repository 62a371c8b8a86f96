"""Projects, and answers kept for a replay."""

from django.db import models
from django.db.models import Q

from apps.core import json
from apps.core.handling import Handling


class Project(models.Model):
    """The tenant: sessions, keys and members belong to exactly one."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    slug = models.CharField(max_length=50, unique=True, db_collation="C")
    name = models.CharField(max_length=120)
    # Keys the digests in search tables, so that equal values in two projects differ
    # and a stolen index cannot be searched by guessing.
    index_key = models.BinaryField()
    # Whether its members need a second factor to enter it; keys do not.
    needs_second_factor = models.BooleanField(default=False)
    # What becomes of unknown input where a request does not say.
    handling = models.CharField(
        max_length=8,
        choices=[(one.value, one.value) for one in Handling],
        default=Handling.STRICT.value,
    )
    # Policies that no agent's config can lower, as JSON.
    floor = models.TextField(default="{}")
    # Whether old states are embedded, so that they are found by their meaning.
    search_by_meaning = models.BooleanField(default=False)
    # Whether a rollback has to say why.
    needs_rollback_reason = models.BooleanField(default=False)
    # The number of the data key that seals what is written; null: nothing is sealed.
    data_key = models.BigIntegerField(null=True)
    # What masked keys are not shown, as JSON; only who asks for it loads it.
    masks = models.TextField(default="[]")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(slug__regex=r"^[a-z0-9]+(-[a-z0-9]+)*$"),
                name="accounts_project_slug_is_url_safe",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def floor_as_shown(self) -> str:
        """Return what is another text once the floor was changed."""
        return json.fingerprint(self.floor)


class StoredAnswer(models.Model):
    """What was answered to an idempotency key, kept 24 hours for a replay."""

    pk = models.CompositePrimaryKey("project_id", "key")
    project_id = models.CharField(max_length=31, db_collation="C")
    key = models.CharField(max_length=255, db_collation="C")
    # SHA-256 of the request; the same key with another request is a mistake.
    digest = models.BinaryField()
    # Null only inside the transaction that is still finding its answer.
    status = models.BigIntegerField(null=True)
    body = models.BinaryField(default=b"")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(key=""),
                name="accounts_storedanswer_key_not_empty",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project_id} {self.key}"
