"""Incidents that were resolved, and what is written in releases since."""

from datetime import timedelta

from django.utils import timezone

from apps.core.roles.names import Role
from apps.incidents import operations as incidents
from apps.incidents import watching
from tests.acting import acting_as
from tests.acts import act_in
from tests.console.make import Story
from tests.feeding import feed_all
from tests.incidents.make import make_incident, make_sessions

CHECK = "state.total<=10"
LATER = timedelta(hours=1)


def resolved(project, olga, check=CHECK):
    (first,) = make_sessions(project, 1)
    incident = make_incident(project, olga, [first], check=check)
    act = act_in(project, olga)
    return incidents.change(act=act, incident_id=incident.id, status="resolved")


def newer(project, total, release, **about):
    story = Story(project, {"total": 1}, now=timezone.now(), **about)
    story.update({"total": total}, release=release)
    fed()
    return story


def fed():
    """Have the worker hear of what was written."""
    with acting_as(Role.WORKER):
        feed_all()


def swept(after=LATER):
    with acting_as(Role.WORKER):
        return watching.sweep(now=timezone.now() + after)


def stands(incident):
    incident.refresh_from_db()
    return incident.status
