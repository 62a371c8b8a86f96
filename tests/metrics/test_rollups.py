"""Rollups follow from the facts: kept up hour by hour, made anew, or counted by hand.

Histories are drawn at random. What is counted by hand is counted in Python from the
versions and turns themselves, knowing nothing of hours, gaps and sums.
"""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.agents.models import Agent
from apps.core import json
from apps.core.roles.names import Role
from apps.metrics import rollups
from apps.metrics.models import Due, Reach, Sum, Worked
from apps.timeline import bodies
from apps.timeline.hooks import reported
from apps.timeline.models import Session, Turn, Version
from tests.acting import acting_as
from tests.conftest import make_project
from tests.feeding import feed_all
from tests.metrics.make import DAY, Told, at, called, reading, roll_up

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
NAMES = "began versions turns rollbacks undos repeats forks aside waited stored"
TOOLS = {"r1": ("pay", False, 120), "r2": ("search", True, None)}
ACTS = st.lists(
    st.tuples(
        st.integers(0, 3),  # which session
        st.sampled_from(["update", "update", "turn", "back", "undo", "fork", "sweep"]),
        st.integers(0, 100),  # how many minutes later than the act before
        st.sampled_from([None, "r1", "r2"]),
    ),
    min_size=4,
    max_size=25,
)


def play(project, acts):
    """Do the acts, one after another; return the moment after the last."""
    now, told = DAY, {}
    for which, verb, minutes, release in acts:
        now += timedelta(minutes=minutes)
        if which not in told:
            agent = f"agent-{which % 2}"
            told[which] = Told(project, now, agent=agent, release=release)
        act(told, which, verb, now, release)
    return now


def act(told, which, verb, now, release):
    one = told[which]
    last = Version.objects.filter(session_id=one.id).latest("number")
    match verb:
        case "update":
            one.update(now, release=release)
        case "turn":
            # What is said of a release elsewhere says here what the turn tells of.
            tool, failed, ms = TOOLS.get(release, (None, False, None))
            said = called(tool, failed=failed, ms=ms) if tool else None
            one.turn(now, exchange=said)
        case "back" if last.number:
            one.back(last.number // 2, now, reason=release)
        case "undo" if last.op == "rollback":
            one.undo(last.number, now)
        case "fork":
            told[which + 10] = one.fork(last.number, now)
        case "sweep":
            roll_up(now)


def by_hand(project, start, end):
    """Return (sessions, rolled back, versions, turns, rollbacks, calls of tools,
    failed ones, turns with a latency, milliseconds) of a range."""
    mine = set(
        Session.objects.filter(project_id=project.id).values_list("id", flat=True)
    )
    versions = [
        one
        for one in Version.objects.all()
        if one.session_id in mine and start <= one.created_at < end
    ]
    turns = [
        one
        for one in Turn.objects.all()
        if one.session_id in mine and start <= one.created_at < end
    ]
    failures = [
        one for one in versions if one.restored_number is not None and not one.undo_of
    ]
    active = {one.session_id for one in [*versions, *turns]}
    failed = {one.session_id for one in failures}
    facts = [reported_by(turn) for turn in turns]
    tools = [one for one in facts if "tool_name" in one]
    timed = [one["latency_ms"] for one in facts if "latency_ms" in one]
    return (
        len(active),
        len(failed),
        len(versions),
        len(turns),
        len(failures),
        len(tools),
        sum(one["tool_failed"] for one in tools),
        len(timed),
        sum(timed),
    )


def reported_by(turn):
    """What a turn told, read from the turn itself."""
    raw = bodies.decode(turn.codec, bytes(turn.data), turn.size, None)
    parts = {part.name: json.parse(part.data) for part in bodies.unframe(raw)}
    return reported.facts(parts["input"], parts["output"], parts.get("metadata"))


def told(project, start, end, now):
    found = reading(project, start, end, now=now).totals()
    return (
        found.sessions,
        found.rolled_back,
        found.versions,
        found.turns,
        found.rollbacks,
        found.tool_calls,
        found.tool_errors,
        found.timed,
        found.latency_ms,
    )


def stored(project):
    sums = Sum.objects.filter(project_id=project.id).values_list()
    reaches = Reach.objects.filter(project_id=project.id).values_list()
    worked = Worked.objects.filter(project_id=project.id).values_list()
    return tuple(sorted(map(str, rows)) for rows in (sums, reaches, worked))


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(acts=ACTS, begins=st.integers(0, 20), lasts=st.integers(3, 30))
def test_kept_up_made_anew_and_counted_by_hand_are_the_same(acts, begins, lasts, db):
    project = make_project(f"p{Agent.objects.count()}-{Session.objects.count()}")
    ends = play(project, acts)
    start = DAY + begins * HOUR
    end = start + lasts * HOUR
    later = max(ends, end) + timedelta(days=1)
    expected = by_hand(project, start, end)

    assert told(project, start, end, later) == expected
    roll_up(later)
    kept = stored(project)
    assert told(project, start, end, later) == expected
    rollups.rebuild(project_id=project.id, now=later, tell=lambda *_: None)

    assert stored(project) == kept
    assert not Due.objects.filter(project_id=project.id).exists()
    assert told(project, start, end, later) == expected


def test_an_event_that_comes_late_is_counted_at_once_and_rolled_up_again(project):
    early = Told(project, "10:00")
    Told(project, "12:00").update("12:30")
    roll_up("15:00")
    before = reading(project, "10:00", "14:00", now=at("15:00")).totals()

    early.update("12:45")
    late = reading(project, "10:00", "14:00", now=at("15:00")).totals()
    roll_up("15:10")
    after = reading(project, "10:00", "14:00", now=at("15:10")).totals()

    assert (before.versions, late.versions, after.versions) == (3, 4, 4)
    assert late == after


def test_the_open_hour_is_counted_and_not_kept(project):
    Told(project, "10:00").update("11:10")

    assert roll_up("11:30") == 1

    assert {one.hour for one in Sum.objects.all()} == {at("10:00")}
    found = reading(project, "09:00", "11:30", now=at("11:30")).totals()
    assert (found.sessions, found.versions) == (1, 2)


def test_an_hour_settles_before_it_is_kept(project):
    Told(project, "10:00")

    assert roll_up("11:00:30") == 0
    assert roll_up("11:01:00") == 1


def test_one_hour_is_taken_at_a_time_however_the_planner_joins(project):
    # Where it believes in one row, it goes through the rows and asks for each anew.
    Told(project, "10:00").update("11:10", "12:10", "13:10")
    feed_all(now=at("15:00"))
    later = Due.objects.filter(hour__gt=at("10:00"))
    hours = list(later.values_list("project_id", "hour").order_by("hour"))
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        later.delete()
        cursor.execute("ANALYZE metrics_due")
    with acting_as(Role.WORKER):
        for project_id, hour in hours:
            Due.objects.create(project_id=project_id, hour=hour)

        rolled_up = list(rollups.roll_up(now=at("15:00")))

    assert rolled_up == [at("10:00"), at("11:00"), at("12:00"), at("13:00")]


def test_what_a_sweep_did_the_next_does_not_do_again(project):
    Told(project, "10:00")

    assert [roll_up("15:00"), roll_up("15:01")] == [1, 0]


def test_the_command_tells_what_it_did(project):
    Told(project, "10:00").update("11:00", "13:00")
    feed_all(now=at("15:00"))
    told_so = StringIO()

    call_command("rebuild_rollups", stdout=told_so)

    assert told_so.getvalue() == "checkout: 3 hours added up\n"
    assert Sum.objects.count() == 3


def test_it_tells_how_far_it_is(project):
    Told(project, "10:00").update("11:00")
    feed_all(now=at("15:00"))
    heard = []

    rollups.rebuild(
        project_id=project.id, now=at("20:00"), tell=lambda *told: heard.append(told)
    )

    assert heard == [(1, 2, at("10:00")), (2, 2, at("11:00"))]


def test_hours_that_have_nothing_any_more_are_forgotten(project):
    session = Told(project, "10:00")
    roll_up("15:00")
    with acting_as(Role.WORKER):
        Sum.objects.create(
            project_id=project.id,
            hour=at("03:00"),
            agent_id=Agent.objects.get().id,
            **dict.fromkeys(NAMES.split(), 7),
        )

    call_command("rebuild_rollups", project="checkout", stdout=StringIO())

    assert {one.hour for one in Sum.objects.all()} == {at("10:00")}
    assert session.id


def test_an_hour_with_an_event_that_is_not_fed_stays_open(project):
    Told(project, "10:00").update("11:10", "12:10")
    feed_all(now=at("15:00"))
    late = Told(project, "11:20")

    assert rollups.sweep(now=at("15:00")) == 1
    assert {one.hour for one in Sum.objects.all()} == {at("10:00")}
    found = reading(project, "10:00", "13:00", now=at("15:00")).totals()
    assert (found.sessions, found.versions) == (2, 4)

    assert roll_up("15:10") == 2
    assert reading(project, "10:00", "13:00", now=at("15:10")).totals() == found
    assert late.id
