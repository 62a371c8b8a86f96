"""An experiment: forks of one version, and the checks that decide between them."""

from django.db import models

from apps.experiments.querysets import ExperimentQuerySet, VariantQuerySet
from apps.experiments.words import Status
from apps.timeline.fields import id_field


class Experiment(models.Model):
    """Some forks of one version that are looked at side by side."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    name = models.TextField()
    # The version of which the variants are forks; null where its session is removed.
    session_id = id_field(null=True)
    number = models.BigIntegerField()
    # What should hold at the head of each, in one line; null where a person was named.
    checks = models.JSONField(default=list)
    status = models.CharField(
        max_length=8, choices=Status.choices, default=Status.OPEN, db_collation="C"
    )
    made_by_kind = models.CharField(max_length=16, db_collation="C")
    made_by_id = models.TextField(db_collation="C")
    made_by_label = models.TextField()
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    objects = ExperimentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=Status.values),
                name="experiments_experiment_status_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["project", "-id"], name="experiments_experiment_newest"
            ),
            models.Index(fields=["session_id"], name="experiments_experiment_origin"),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def is_closed(self) -> bool:
        return self.status == Status.CLOSED


class Variant(models.Model):
    """One fork of an experiment, in the order in which they were named."""

    pk = models.CompositePrimaryKey("experiment_id", "session_id")
    project_id = id_field()
    experiment = models.ForeignKey(Experiment, on_delete=models.PROTECT, db_index=False)
    session_id = id_field()
    agent = models.ForeignKey(
        "agents.Agent", on_delete=models.PROTECT, db_constraint=False, db_index=False
    )
    position = models.SmallIntegerField()

    objects = VariantQuerySet.as_manager()

    class Meta:
        indexes = [
            # They go with their session.
            models.Index(fields=["session_id"], name="experiments_variant_of_session"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} in {self.experiment_id}"
