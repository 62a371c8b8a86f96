"""Questions about experiments, always asked within one project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Exists, OuterRef

from apps.agents.scope import Scope
from apps.experiments.errors import ExperimentNotFound

if TYPE_CHECKING:
    # Named in the strings below.
    from apps.experiments.models import Experiment, Variant  # noqa: F401


class ExperimentQuerySet(models.QuerySet["Experiment"]):
    def seen_by(self, scope: Scope) -> ExperimentQuerySet:
        """The project's; for a key of some agents, those whose forks are all of these.

        A column is compared with the others: none is told without them.
        """
        mine = self.filter(project_id=scope.project.id)
        if scope.agents is None:
            return mine
        variants = self.model._meta.get_field("variant").related_model
        forks = variants._default_manager.filter(experiment_id=OuterRef("id"))
        others = forks.exclude(agent__external_id__in=scope.agents)
        return mine.filter(Exists(forks)).exclude(Exists(others))

    def one(self, id: str) -> Experiment:
        """Raises: ExperimentNotFound."""
        found = self.filter(id=id).select_related("project").first()
        if found is None:
            raise ExperimentNotFound
        return found

    def locked(self, id: str) -> Experiment:
        """As `one`, held until the transaction ends.

        Raises: ExperimentNotFound.
        """
        return self.select_for_update(no_key=True, of=("self",)).one(id)

    def with_status(self, status: str | None) -> ExperimentQuerySet:
        return self if status is None else self.filter(status=status)

    def older_than(self, id: str | None) -> ExperimentQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> ExperimentQuerySet:
        return self.order_by("-id")


class VariantQuerySet(models.QuerySet["Variant"]):
    def of_experiment(self, experiment_id: str) -> VariantQuerySet:
        return self.filter(experiment_id=experiment_id).order_by("position")
