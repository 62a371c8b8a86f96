"""Incidents that were resolved: each is watched, whatever is wrong with another."""

import pytest
from django.db import OperationalError
from psycopg.errors import QueryCanceled

from apps.core.errors import Busy
from apps.incidents import watching
from tests.incidents.watched import newer, resolved, stands, swept

pytestmark = pytest.mark.django_db


def too_long():
    error = OperationalError("canceling statement due to statement timeout")
    error.__cause__ = QueryCanceled()
    return error


@pytest.fixture
def breaking(monkeypatch):
    """`breaking(incident, error)` has the watching of one fail."""

    def breaks(incident, error):
        watch = watching.watch

        def failing(one, *, now):
            if one.id == incident.id:
                raise error
            return watch(one, now=now)

        monkeypatch.setattr(watching, "watch", failing)

    return breaks


@pytest.mark.parametrize("error", [Busy(), too_long(), RuntimeError("broken")])
def test_one_incident_that_cannot_be_watched_holds_up_no_other(
    project, olga, breaking, error
):
    first, second = (resolved(project, olga) for _ in range(2))
    newer(project, 11, "r2")

    breaking(first, error)
    assert swept() == 1

    assert (stands(first), stands(second)) == ("resolved", "open")
    assert first.watched_to is None


def test_while_the_database_is_in_need_all_of_them_wait(project, olga, breaking):
    first, second = (resolved(project, olga) for _ in range(2))
    newer(project, 11, "r2")
    breaking(first, OperationalError("the connection is closed"))

    with pytest.raises(OperationalError):
        swept()

    assert stands(second) == "resolved"


def test_an_older_release_that_reaches_another_agent_opens_nothing(project, olga):
    newer(project, 1, "r1")
    incident = resolved(project, olga)
    newer(project, 11, "r1", agent="another-agent")

    assert swept() == 0
    assert stands(incident) == "resolved"


def test_a_newer_release_of_two_agents_opens_it_again(project, olga):
    newer(project, 1, "r1")
    incident = resolved(project, olga)
    newer(project, 1, "r2")
    newer(project, 11, "r2", agent="another-agent")

    assert swept() == 2
    assert stands(incident) == "open"
