"""An incident, the sessions that were collected for it, and what was done.

The list is frozen when it is collected, with what each session's head said then: a
search that finds more later changes nothing. A session is taken out by a note on its
row, and what was done is appended to the history: neither is ever taken back.
"""

from django.db import models

from apps.incidents.querysets import EntryQuerySet, IncidentQuerySet, MemberQuerySet
from apps.incidents.words import Deed, Status, Verdict
from apps.timeline.fields import id_field


class Incident(models.Model):
    """Something that went wrong in many sessions."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    # Counted in the project from 1: what people call it by.
    number = models.BigIntegerField()
    title = models.TextField()
    status = models.CharField(
        max_length=16,
        choices=Status.choices,
        default=Status.OPEN,
        db_collation="C",
    )
    # The search or the release by which its sessions were found; null where neither.
    query = models.TextField(null=True)
    # What should hold in each session, in one line; null: nothing is looked for.
    check_text = models.TextField(null=True)
    # While it is resolved: up to which event its check was looked for in what came.
    watched_to = models.CharField(max_length=32, null=True, db_collation="C")
    # Since when the check was looked for in all of them; null while it is not.
    checked_at = models.DateTimeField(null=True)
    # A member of the project; the label stays when the person is gone.
    owner_id = models.TextField(null=True, db_collation="C")
    owner_label = models.TextField(null=True)
    opened_by_kind = models.CharField(max_length=16, db_collation="C")
    opened_by_id = models.TextField(db_collation="C")
    opened_by_label = models.TextField()
    created_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)

    objects = IncidentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=Status.values),
                name="incidents_incident_status_is_known",
            ),
            models.UniqueConstraint(
                fields=["project", "number"], name="incidents_incident_number"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-id"], name="incidents_incident_newest"),
            # Those that wait for a person: counted beside every page.
            models.Index(
                fields=["project"],
                name="incidents_incident_open",
                condition=models.Q(status="open"),
            ),
            # Whose check is still to be looked for.
            models.Index(
                fields=["id"],
                name="incidents_incident_to_check",
                condition=models.Q(check_text__isnull=False, checked_at__isnull=True),
            ),
            # Whose check is looked for in sessions of newer releases.
            models.Index(
                fields=["id"],
                name="incidents_incident_watched",
                condition=models.Q(check_text__isnull=False, status="resolved"),
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def is_resolved(self) -> bool:
        return self.status == Status.RESOLVED


class Member(models.Model):
    """One session of an incident, as its head was when it was collected."""

    pk = models.CompositePrimaryKey("incident_id", "session_id")
    project_id = id_field()
    incident = models.ForeignKey(Incident, on_delete=models.PROTECT, db_index=False)
    session_id = id_field()
    agent = models.ForeignKey(
        "agents.Agent", on_delete=models.PROTECT, db_constraint=False, db_index=False
    )
    head_number = models.BigIntegerField()
    release = models.TextField(null=True)
    model = models.TextField(null=True)
    removed_at = models.DateTimeField(null=True)
    removed_by = models.TextField(null=True)

    # What the worker found of the incident's check; null while it has not looked.
    verdict = models.CharField(
        max_length=8, choices=Verdict.choices, null=True, db_collation="C"
    )
    # The first version that does not pass: of the session, or of its origin.
    bad_session_id = id_field(null=True)
    bad_number = models.BigIntegerField(null=True)
    bad_release = models.TextField(null=True)
    bad_at = models.DateTimeField(null=True)

    objects = MemberQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(verdict__in=Verdict.values),
                name="incidents_member_verdict_is_known",
            ),
        ]
        indexes = [
            # They go with their session.
            models.Index(fields=["session_id"], name="incidents_member_of_session"),
            # Which incidents a key that is limited to agents may see.
            models.Index(
                fields=["incident", "agent"], name="incidents_member_by_agent"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} in {self.incident_id}"


class Entry(models.Model):
    """One thing that was done with an incident. Written once, never changed."""

    pk = models.CompositePrimaryKey("incident_id", "id")
    project_id = id_field()
    incident = models.ForeignKey(Incident, on_delete=models.PROTECT, db_index=False)
    id = id_field()
    deed = models.CharField(max_length=16, choices=Deed.choices, db_collation="C")
    # What was written, or what it was changed to.
    text = models.TextField(null=True)
    # The session that it speaks of.
    session_id = id_field(null=True)
    actor_kind = models.CharField(max_length=16, db_collation="C")
    actor_id = models.TextField(db_collation="C")
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    objects = EntryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(deed__in=Deed.values),
                name="incidents_entry_deed_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["session_id"],
                name="incidents_entry_of_session",
                condition=models.Q(session_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.deed} {self.incident_id}"
