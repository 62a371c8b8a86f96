"""Two people at the same time: each act is done once, and the history has both."""

import threading

import pytest
from django.db import connection

from apps.core.errors import DomainError
from apps.incidents import operations as incidents
from apps.incidents.errors import NotInIncident
from apps.incidents.models import Entry, Incident
from tests.acts import act_in
from tests.incidents.make import make_incident, make_sessions

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*acts):
    """Run the acts in threads that start together; return what each came to."""
    outcomes, barrier = [], threading.Barrier(len(acts))

    def work(act):
        try:
            barrier.wait(30)
            outcomes.append(act())
        except DomainError as refused:
            outcomes.append(refused)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_one_session_is_taken_out_once(project, olga):
    (id,) = make_sessions(project, 1)
    incident = make_incident(project, olga, [id])

    def take():
        return incidents.remove(
            act=act_in(project, olga), incident_id=incident.id, session_id=id
        )

    outcomes = at_once(take, take, take)

    assert sum(isinstance(one, NotInIncident) for one in outcomes) == 2
    assert Entry.objects.filter(deed="removed").count() == 1


def test_two_changes_are_both_made(project, olga):
    incident = make_incident(project, olga, make_sessions(project, 1))

    def change(**said):
        return lambda: incidents.change(
            act=act_in(project, olga), incident_id=incident.id, **said
        )

    at_once(change(status="watching"), change(title="trips lost"))

    now = Incident.objects.get(id=incident.id)
    assert (now.status, now.title) == ("watching", "trips lost")
    assert Entry.objects.count() == 3
