"""A survey and its sessions: a check is looked for in each, and by whom it broke.

The sessions are frozen when it is asked for. What is told of a release is counted from
their rows at every reading, so it is never of sessions that the reader may not see.
"""

from django.db import models

from apps.incidents.words import Verdict
from apps.surveys.querysets import SampledQuerySet, SurveyQuerySet
from apps.timeline.fields import id_field


class Survey(models.Model):
    """A check that is looked for in the newest sessions that a search finds."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    # In one line; null where it named a person who was erased.
    check_text = models.TextField(null=True)
    # The search; null: all sessions.
    query = models.TextField(null=True)
    # Whether these are all that the search finds, or the newest of them.
    is_all = models.BooleanField()
    # When the oldest of them began.
    reaches_to = models.DateTimeField()
    asked_by_kind = models.CharField(max_length=16, db_collation="C")
    asked_by_id = models.TextField(db_collation="C")
    asked_by_label = models.TextField()
    created_at = models.DateTimeField()
    # Since when all were looked into; null while the worker looks.
    looked_at = models.DateTimeField(null=True)

    objects = SurveyQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project", "-id"], name="surveys_survey_newest"),
            models.Index(
                fields=["id"],
                name="surveys_survey_to_look",
                condition=models.Q(looked_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def is_over(self) -> bool:
        return self.looked_at is not None


class Sampled(models.Model):
    """One session of a survey, and what the worker found of it."""

    pk = models.CompositePrimaryKey("survey_id", "session_id")
    project_id = id_field()
    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, db_index=False)
    session_id = id_field()
    agent = models.ForeignKey(
        "agents.Agent", on_delete=models.PROTECT, db_constraint=False, db_index=False
    )
    # Null while the worker has not looked.
    verdict = models.CharField(
        max_length=8, choices=Verdict.choices, null=True, db_collation="C"
    )
    # Whether the first version that does not pass is known.
    is_placed = models.BooleanField(default=False)
    # It lies in an origin: the session was wrong before anybody wrote in it.
    is_inherited = models.BooleanField(default=False)
    # Who wrote while it still passed: [{"release", "model", "broke"}].
    wrote = models.JSONField(default=list)

    objects = SampledQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(verdict__in=Verdict.values),
                name="surveys_sampled_verdict_is_known",
            ),
        ]
        indexes = [
            # They go with their session.
            models.Index(fields=["session_id"], name="surveys_sampled_of_session"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} in {self.survey_id}"
