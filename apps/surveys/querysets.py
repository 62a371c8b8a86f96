"""Questions about surveys, always asked within one project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from apps.agents.acts import Act
from apps.surveys.errors import SurveyNotFound

if TYPE_CHECKING:
    # Named in the strings below.
    from apps.surveys.models import Sampled, Survey  # noqa: F401


class SurveyQuerySet(models.QuerySet["Survey"]):
    def seen_by(self, act: Act) -> SurveyQuerySet:
        """The project's; for a key of some agents, those that it asked for itself.

        What others look for may speak of sessions of other agents.
        """
        mine = self.filter(project_id=act.project_id)
        if act.scope.agents is None:
            return mine
        who = act.actor
        return mine.filter(asked_by_kind=who.kind.value, asked_by_id=who.id)

    def one(self, id: str) -> Survey:
        """Raises: SurveyNotFound."""
        found = self.filter(id=id).select_related("project").first()
        if found is None:
            raise SurveyNotFound
        return found

    def to_look(self) -> SurveyQuerySet:
        """Those at which the worker is to look, the oldest first."""
        return self.filter(looked_at__isnull=True).order_by("id")

    def older_than(self, id: str | None) -> SurveyQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> SurveyQuerySet:
        return self.order_by("-id")


class SampledQuerySet(models.QuerySet["Sampled"]):
    def of_survey(self, survey_id: str) -> SampledQuerySet:
        return self.filter(survey_id=survey_id)

    def to_look_into(self) -> SampledQuerySet:
        return self.filter(verdict__isnull=True).order_by("session_id")
