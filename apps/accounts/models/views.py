"""Searches of sessions that people keep."""

from django.db import models

from apps.accounts.models.people import User
from apps.accounts.models.projects import Project
from apps.accounts.querysets import (
    SavedViewQuerySet,
)


class SavedView(models.Model):
    """A search of sessions that somebody keeps, for themselves or for the project."""

    id = models.CharField(max_length=31, primary_key=True, db_collation="C")
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    owner = models.ForeignKey(User, on_delete=models.PROTECT)
    name = models.CharField(max_length=120)
    # As it was written, in the search language; read again each time it is opened.
    query = models.TextField()
    sort = models.CharField(max_length=16, blank=True, default="", db_collation="C")
    is_shared = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = SavedViewQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "owner", "name"],
                name="accounts_savedview_one_per_name",
            ),
        ]

    def __str__(self) -> str:
        return self.name
