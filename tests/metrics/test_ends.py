"""Sessions that ended, that asked for a human, and how long their turns took."""

import pytest

from apps.core.roles.names import Role
from apps.metrics import rollups
from apps.metrics.models import Sum
from apps.metrics.ranking import FINE, latency_within
from apps.timeline import operations as timeline
from apps.timeline.versions.reading import Step
from tests.acting import acting_as
from tests.console.make import HTML, signed_in
from tests.contracts.world import add_member
from tests.metrics.make import DAY, KEY, OLGA, Told, at, called, reading, roll_up

pytestmark = pytest.mark.django_db


def close(one, moment):
    timeline.close(session_id=one.id, step=Step(), act=one.act(moment, OLGA))


def ask(one, moment, *, state=None, objective=None, by=KEY):
    """Have a session ask for a human: in its state, or by its objective."""
    timeline.update(
        session_id=one.id,
        patch=state or {"n": "asks"},
        remove=(),
        step=Step(objective_status=objective),
        act=one.act(moment, by),
    )


def totals(project, start="09:00", end="15:00"):
    return reading(project, start, end, now=at("+3 00:00")).totals()


def test_a_session_is_completed_where_it_was_closed(project, counted):
    one, two = Told(project, "09:10"), Told(project, "09:20")
    close(one, "12:00")
    two.update("13:00")
    counted()

    found = totals(project)
    assert (found.closed, found.completion_rate) == (1, 0.5)
    assert totals(project, "09:00", "12:00").closed == 0


def test_a_session_that_asks_for_a_human_in_many_hours_counts_once(project, counted):
    one = Told(project, "09:10")
    ask(one, "10:00", state={"escalated": True})
    one.update("10:30", "11:00")
    ask(one, "12:00", objective="WAITING_FOR_REFUND")
    ask(one, "13:10", state={"escalated_to_human": True})
    Told(project, "09:10").update("11:00")
    counted()

    assert (totals(project).escalated, totals(project).escalation_rate) == (1, 0.5)
    # It asks in the range, also where it did before.
    assert totals(project, "12:00", "15:00").escalated == 1
    assert totals(project, "10:10", "11:10").escalated == 0


def test_only_an_agent_asks_and_only_by_saying_so(project, counted):
    one = Told(project, "09:10")
    ask(one, "09:20", state={"escalated": True}, by=OLGA)
    ask(one, "09:30", state={"escalated": "true", "deep": {"escalated": True}})
    ask(one, "09:40", objective="waiting for nobody")
    one.back(1, "10:00")
    counted()

    assert totals(project).escalated == 0


def test_a_session_whose_agent_lost_something_counts_once_as_flagged(project, counted):
    lost = Told(project, "09:10")
    for moment in ("10:00", "12:00"):
        ask(lost, moment, state={"kept": "x" * 20})
        ask(lost, moment, state={"kept": None})
    lost.back(1, "13:00")
    Told(project, "09:10").update("10:00")
    counted()

    assert (totals(project).flagged, totals(project).flagged_rate) == (1, 0.5)
    assert totals(project, "13:00", "15:00").flagged == 0


def test_what_nearly_all_turns_took_is_known_to_twelve_percent(project, counted):
    one = Told(project, "09:10")
    for at_minute in range(19):
        one.turn(f"10:{at_minute:02}", exchange=called("search", ms=100))
    one.turn("11:00", exchange=called("search", ms=9_000))
    counted()

    asked = reading(project, "09:00", "15:00", now=at("+3 00:00"))
    found = asked.totals()

    assert 100 <= latency_within(asked.groups(FINE), 0.95) <= 113
    assert 9_000 <= latency_within(asked.groups(FINE), 0.96) <= 10_100
    assert found.longest_latency_ms == 9_000
    assert totals(project, "10:00", "11:00").longest_latency_ms == 100


def test_turns_that_took_no_time_are_of_the_first_class(project):
    Told(project, "09:10").turn("10:00", exchange=called("search", ms=0))

    asked = reading(project, "09:00", "15:00")

    assert 0 < latency_within(asked.groups(FINE), 0.95) < 1
    assert asked.totals().longest_latency_ms == 0
    assert latency_within([], 0.95) is None


def test_hours_from_before_it_was_counted_say_so_until_they_are_made_anew(
    project, client
):
    one = Told(project, "09:10").turn("10:00", exchange=called("search", ms=50))
    close(one, "11:00")
    roll_up("+2 00:00")
    with acting_as(Role.OWNER):
        Sum.objects.filter(hour=at("10:00")).update(counted_by=1, latency_max=0)
    day = f"?from={DAY:%Y-%m-%d}T08:00&to={DAY:%Y-%m-%d}T15:00"

    found = totals(project)
    viewer = signed_in(client, add_member(project, "vera"))
    page = viewer.get(f"/console/{project.slug}/metrics{day}", headers=HTML).content

    assert (found.uncounted, found.completion_rate) == (1, None)
    assert (found.escalation_rate, found.longest_latency_ms) == (None, None)
    assert b"not counted in 1 hours: rebuild_rollups counts them" in page

    rollups.rebuild(project_id=project.id, now=at("+2 00:00"), tell=lambda *_: None)
    found = totals(project)
    assert (found.uncounted, found.completion_rate) == (0, 1.0)
    assert found.longest_latency_ms == 50
