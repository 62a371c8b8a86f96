"""Opens incidents through the operations, and has the worker look for their checks."""

from django.utils import timezone

from apps.incidents import operations as incidents
from apps.incidents.models import Incident
from apps.incidents.operations import Collected
from tests.acts import act_in
from tests.console.make import Story


def make_sessions(project, n, **about):
    """Return the ids of sessions that began now, in the order of their making."""
    return [
        Story(project, {"n": place}, now=timezone.now(), **about).id
        for place in range(n)
    ]


def make_incident(project, actor, ids, *, title="trip lost", check=None) -> Incident:
    return incidents.open_incident(
        act=act_in(project, actor),
        title=title,
        collected=Collected.named(ids),
        check=check,
    )
