"""The weekly summary: who reads it, what was told, and what is still to be sent."""

from django.db import models

from apps.accounts.models import Project, User
from apps.metrics.querysets import (
    ReaderQuerySet,
    SummaryMailQuerySet,
)
from apps.timeline.fields import id_field


class SummaryReader(models.Model):
    """One member's wish to have the weekly summary of a project by mail."""

    id = id_field(primary_key=True)
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    user = models.ForeignKey(User, on_delete=models.PROTECT)
    email = models.EmailField()
    created_at = models.DateTimeField()

    objects = ReaderQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user"], name="metrics_reader_one_per_member"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id} reads of {self.project_id}"


class WeekTold(models.Model):
    """What was told of a project's week, from a Monday on: whoever makes it, tells."""

    id = id_field(primary_key=True)
    project_id = id_field()
    start = models.DateTimeField()
    told = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["start", "project_id"], name="metrics_week_told_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.project_id} {self.start:%Y-%m-%d}"


class SummaryMail(models.Model):
    """A weekly summary for one member, until it was sent."""

    pk = models.CompositePrimaryKey("week_id", "reader_id")
    week = models.ForeignKey(WeekTold, on_delete=models.CASCADE)
    reader = models.ForeignKey(SummaryReader, on_delete=models.CASCADE)

    objects = SummaryMailQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.reader_id} {self.week_id}"
