"""The keys with which programs act in projects.

Secrets are never stored: keys are held as SHA-256 of 256 random bits, which needs no
slow hash because there is nothing to guess.
"""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from apps.accounts.choices import Scope
from apps.accounts.models.projects import Project
from apps.accounts.querysets import (
    ApiKeyQuerySet,
)


class ApiKey(models.Model):
    """What a program signs in with; bound to one project."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    name = models.CharField(max_length=120)
    # The first characters of the secret: people recognise their key by it.
    prefix = models.CharField(max_length=16, db_collation="C")
    secret_hash = models.BinaryField(unique=True)
    scope = models.CharField(max_length=16, choices=Scope.choices)
    # External agent ids that the key may speak for; null means all.
    agents = ArrayField(models.TextField(), null=True)
    # Requests a minute; null means the installation's limit.
    rate_limit = models.BigIntegerField(null=True)
    created_at = models.DateTimeField()
    created_by = models.TextField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    # To the minute: written at most that often.
    last_used_at = models.DateTimeField(null=True)

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=Scope.values),
                name="accounts_apikey_scope_is_known",
            ),
            models.CheckConstraint(
                condition=Q(rate_limit=None) | Q(rate_limit__gt=0),
                name="accounts_apikey_rate_limit_is_positive",
            ),
            models.CheckConstraint(
                condition=Q(expires_at=None) | Q(expires_at__gt=F("created_at")),
                name="accounts_apikey_expires_after_creation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    def is_live(self, now: datetime) -> bool:
        """A key works until it is revoked or its time is over."""
        unexpired = self.expires_at is None or self.expires_at > now
        return self.revoked_at is None and unexpired
