"""Every metric against answers counted by hand, before and after hours are rolled up.

All of it happens on one day; `docs/metrics.md` has the definitions in words.
"""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from apps.agents.models import Agent
from apps.metrics.figures import Band, band
from apps.metrics.ranking import MILLISECONDS, classes, tools
from tests.conftest import make_project
from tests.metrics.make import KEY, OTHER_KEY, Told, at, called, reading

pytestmark = pytest.mark.django_db(transaction=True)


def day(project, start="00:00", end="+1 00:00", **more):
    return reading(project, start, end, now=at("+2 00:00"), **more)


def totals(project, start="00:00", end="+1 00:00"):
    return day(project, start, end).totals()


def of(project, measure, start="00:00", end="+1 00:00"):
    """Return {value: (sessions, acts)} of one measure, all agents together."""
    found = {}
    for group in day(project, start, end).groups(measure):
        sessions, acts = found.get(group.value, (0, 0))
        found[group.value] = sessions + group.sessions, acts + group.acts
    return found


def test_a_session_rolled_back_twice_is_one_of_those_active(project, counted):
    # v0 10:00, v1 v2 10:10, rollback v3 10:20, v4 10:30, rollback v5 10:40
    twice = Told(project, "10:00").update("10:10", "10:11")
    twice.back(1, "10:20").update("10:30").back(1, "10:40")
    for _ in range(3):
        Told(project, "10:05").update("10:06")
    counted()

    found = totals(project)

    assert (found.sessions, found.rolled_back, found.rollbacks) == (4, 1, 2)
    assert found.rate == 0.25
    assert found.per_session == 0.5
    assert found.repeats == 1
    # v2 by the first; v3 and v4 by the second, for v2 was set aside already.
    assert found.aside == 3
    # v2 went wrong at 10:11, and was undone after 9 minutes and after 29.
    assert found.waited == (9 + 29) * 60
    assert found.versions == 6 + 3 * 2
    assert found.began == 4


def test_an_undone_rollback_is_one_failure_not_two(project, counted):
    told = Told(project, "10:00").update("10:01", "10:02")
    told.back(0, "10:10").undo(3, "10:20")
    counted()

    found = totals(project)

    assert (found.rolled_back, found.rollbacks, found.undos) == (1, 1, 1)
    assert found.aside == 2
    assert of(project, "reason") == {"": (1, 1)}


def test_an_undo_in_a_later_time_counts_nothing_there(project, counted):
    told = Told(project, "10:00").update("10:01").back(0, "10:10")
    told.undo(2, "15:00")
    counted()

    found = totals(project, "12:00", "23:00")

    assert (found.sessions, found.rolled_back, found.undos) == (1, 0, 1)


def test_a_fork_of_a_rolled_back_session_is_a_session_of_its_own(project, counted):
    told = Told(project, "10:00").update("10:01", "10:02").back(1, "10:10")
    told.fork(2, "10:20", agent="repair").update("10:30")
    counted()

    by_agent = day(project).by_agent()
    names = {one.id: one.external_id for one in Agent.objects.all()}
    found = {names[agent]: figures for agent, figures in by_agent.items()}

    assert (found["travel"].sessions, found["travel"].rolled_back) == (1, 1)
    assert (found["repair"].sessions, found["repair"].rolled_back) == (1, 0)
    assert (found["repair"].forks, found["travel"].forks) == (1, 0)
    assert found["repair"].versions == 2


def test_a_rollback_after_the_day_is_not_in_it(project, counted):
    told = Told(project, "23:50").update("23:55")
    told.back(0, "+1 00:00")
    counted("+3 00:00")

    before, after = totals(project), totals(project, "+1 00:00", "+2 00:00")

    assert (before.sessions, before.rolled_back) == (1, 0)
    # The session is active in the next day by the rollback itself: part of the whole.
    assert (after.sessions, after.rolled_back) == (1, 1)


def test_a_moment_on_the_edge_belongs_to_what_begins_there(project, counted):
    Told(project, "10:00").update("11:00")
    Told(project, "10:59:59.999999")
    counted()

    assert totals(project, "08:00", "11:00").versions == 2
    assert totals(project, "11:00", "14:00").versions == 1
    assert totals(project, "11:00", "14:00").sessions == 1


def test_a_session_seen_in_many_hours_is_counted_once_in_any_range(project, counted):
    told = Told(project, "03:10").update("03:20", "07:05", "09:00", "09:59")
    told.back(1, "09:59:30").update("20:00")
    counted()

    for start, end in [("00:00", "23:00"), ("03:00", "10:00"), ("04:00", "21:00")]:
        found = totals(project, start, end)
        assert (found.sessions, found.rolled_back) == (1, 1), (start, end)
    assert totals(project, "10:00", "19:00").sessions == 0
    assert totals(project, "10:00", "21:00").rolled_back == 0


def test_turns_alone_make_a_session_active(project, counted):
    told = Told(project, "10:00")
    told.turn("15:00").turn("16:00", state={"n": 5})
    counted()

    late = totals(project, "14:00", "17:00")

    assert (late.sessions, late.versions, late.turns) == (1, 1, 2)
    assert totals(project, "11:00", "14:00").sessions == 0
    assert totals(project).turns_per_session == 2
    assert totals(project).versions_per_session == 2


def test_places_set_back_and_an_approval_make_a_session_active(project, counted):
    restored = Told(project, "10:00").update("10:01", "10:02")
    restored.restore(1, "15:00")
    Told(project, "10:00").ask("15:00")
    counted()

    found = totals(project, "12:00", "23:00")

    assert (found.sessions, found.versions) == (2, 2)
    assert (found.rolled_back, found.rollbacks) == (0, 0)


def test_who_went_on_in_the_hour_after_an_approval_is_active(project, counted):
    Told(project, "10:00").ask("15:00").update("16:00")
    counted()

    assert totals(project, "12:00", "23:00").sessions == 1
    assert totals(project, "16:00", "23:00").sessions == 1


def test_a_rollback_is_laid_to_what_went_wrong(project, counted):
    told = Told(project, "10:00", release="r1", model="m1")
    told.update("10:01", release="r1", model="m1")
    told.update("10:02", release="r2", model="m2").update("10:03", release="r3")
    told.back(1, "10:04", by=KEY, reason="tool_error")
    Told(project, "10:00", release="r2")
    counted()

    assert of(project, "release") == {"r1": (1, 2), "r2": (2, 3), "r3": (1, 1)}
    assert of(project, "release_rolled_back") == {"r2": (1, 1)}
    assert of(project, "model_rolled_back") == {"m2": (1, 1)}
    assert of(project, "reason") == {"tool_error": (1, 1)}
    assert of(project, "actor") == {"key:sb_7f3a": (1, 1)}


def test_the_release_that_went_wrong_before_the_range_is_active_in_it(project, counted):
    told = Told(project, "10:00", release="r1").update("10:01", release="r1")
    told.back(0, "18:00")
    counted()

    assert of(project, "release", "15:00", "20:00") == {"r1": (1, 1)}
    assert of(project, "release_rolled_back", "15:00", "20:00") == {"r1": (1, 1)}


def test_who_rolled_back_and_why_are_told_apart(project, counted):
    told = Told(project, "10:00").update("10:01")
    told.back(0, "10:02", reason="bad_state").back(1, "10:03", by=OTHER_KEY)
    told.back(0, "10:04", reason="bad_state")
    counted()

    assert of(project, "actor") == {"user:olga": (1, 2), "key:sb_99aa": (1, 1)}
    assert of(project, "reason") == {"bad_state": (1, 2), "": (1, 1)}
    assert totals(project).repeats == 1


def test_depths_and_waits_fall_into_classes(project, counted):
    deep = Told(project, "10:00")
    deep.update(*[f"10:{minute:02}" for minute in range(1, 13)]).back(0, "13:00")
    Told(project, "10:00").update("10:01").back(0, "10:01:30")
    counted()

    # 12 versions after three hours less a minute; one after half a minute.
    depths = {value: acts for value, (_, acts) in of(project, "depth").items()}
    assert depths == {"4": 1, "0": 1}
    waits = {value: acts for value, (_, acts) in of(project, "waited").items()}
    assert waits == {"4": 1, "0": 1}
    assert totals(project).mean_depth == 6.5


def test_an_hour_of_another_zone_is_the_same_hour(project, counted):
    Told(project, at("10:30")).update(at("11:30"))
    counted()
    tokyo = timezone(timedelta(hours=9))
    start = datetime(2026, 3, 10, 20, 0, tzinfo=tokyo)

    found = reading(project, start, start + timedelta(hours=3), now=at("+2 00:00"))

    assert found.range.start == datetime(2026, 3, 10, 11, 0, tzinfo=UTC)
    assert found.totals().versions == 1


def test_a_range_of_less_than_two_hours_is_exact(project, counted):
    told = Told(project, "10:10").update("10:20", "10:40", "11:05")
    told.back(1, "11:10")
    counted()

    found = totals(project, "10:15", "11:05")

    assert (found.sessions, found.versions, found.rolled_back) == (1, 2, 0)
    assert totals(project, "10:15", "11:10:01").rolled_back == 1
    assert totals(project, "10:41", "11:04").sessions == 0


def test_a_longer_range_is_widened_to_whole_hours(project):
    found = reading(project, "10:15", "14:45", now=at("20:00")).range

    assert (found.start, found.end) == (at("10:00"), at("15:00"))


def test_others_are_not_counted(project, counted):
    Told(make_project("other"), "10:00")
    mine = Told(project, "10:00")
    Told(project, "10:00", agent="billing").update("10:01").back(0, "10:02")
    counted()
    travel = Agent.objects.get(external_id="travel", project=project)

    assert totals(project).sessions == 2
    assert day(project, agents=[travel.id]).totals().sessions == 1
    assert day(project, agents=[travel.id]).totals().rolled_back == 0
    assert day(project, agents=[]).totals().sessions == 0
    assert mine.id


def test_each_point_counts_its_sessions_once(project, counted):
    told = Told(project, "10:10").update("10:20", "12:00")
    told.back(0, "12:30").back(1, "12:40")
    counted()

    hours = day(project).series()
    days = reading(project, "-3 00:00", "+1 00:00", now=at("+2 00:00")).series()

    assert [(p.start, p.sessions, p.rolled_back, p.rollbacks) for p in hours] == [
        (at("10:00"), 1, 0, 0),
        (at("12:00"), 1, 1, 2),
    ]
    assert [(p.start, p.sessions, p.rolled_back, p.rollbacks) for p in days] == [
        (at("00:00"), 1, 1, 2)
    ]


def test_the_week_has_hours_by_day(project, counted):
    # 10 March 2026 is a Tuesday.
    Told(project, "10:10").update("10:20").back(0, "11:30")
    counted()

    found = day(project).week()

    assert {key: (cell.sessions, cell.rolled_back) for key, cell in found.items()} == {
        (2, 10): (1, 0),
        (2, 11): (1, 1),
    }


def test_nothing_is_no_rate(project):
    found = totals(project)

    assert (found.sessions, found.rate, found.per_session) == (0, None, None)
    assert found.band is Band.UNKNOWN


@pytest.mark.parametrize(
    ("rolled_back", "sessions", "told"),
    [
        (0, 100, "healthy"),
        (199, 10_000, "healthy"),
        (2, 100, "watch"),
        (499, 10_000, "watch"),
        (5, 100, "warning"),
        (999, 10_000, "warning"),
        (10, 100, "critical"),
        (20, 20, "critical"),
        (19, 19, "unknown"),
        (0, 0, "unknown"),
    ],
)
def test_the_guides_thresholds(rolled_back, sessions, told):
    assert band(rolled_back, sessions) == told


def test_tool_calls_count_where_turns_tell_of_them(project, counted):
    one = Told(project, "10:00")
    one.turn("10:01", exchange=called("search", ms=100))
    one.turn("10:02", exchange=called("search", failed=True, ms=300))
    one.turn("11:00", exchange=called("pay", failed=True))
    # Says nothing of a tool, nor how long it took.
    one.turn("11:30")
    two = Told(project, "10:00", agent="billing")
    two.turn("12:00", exchange=called("search", ms=40_000))
    counted()

    found = totals(project)

    assert (found.turns, found.tool_calls, found.tool_errors) == (5, 4, 2)
    assert found.tool_error_rate == 0.5
    assert (found.timed, found.mean_latency_ms) == (3, 40_400 / 3)
    ranked = tools(day(project))
    assert [(n, f.tool_calls, f.tool_errors) for n, f in ranked] == [
        ("search", 3, 1),
        ("pay", 1, 1),
    ]
    spread = classes(day(project).groups("latency"), "latency", MILLISECONDS)
    assert [count for _, _, count in spread] == [1, 1, 0, 0, 0, 0, 0, 1]


def test_tool_calls_of_an_hour_alone_are_counted_exactly(project, counted):
    one = Told(project, "10:00")
    one.turn("10:01", exchange=called("search", ms=100))
    one.turn("10:31", exchange=called("search", failed=True))
    counted()

    found = totals(project, "10:30", "11:30")

    assert (found.tool_calls, found.tool_errors, found.timed) == (1, 1, 0)
    assert found.mean_latency_ms is None
    assert [f.tool_errors for _, f in tools(day(project, "10:30", "11:30"))] == [1]


def test_an_agent_that_makes_up_names_of_tools_has_fifty_in_an_hour(project, counted):
    one = Told(project, "10:00")
    for number in range(53):
        one.turn("10:01", exchange=called(f"t{number:02}"))
    one.turn("10:02", exchange=called("t52", failed=True))
    one.turn("11:02", exchange=called("t51"))
    counted()

    found = {name: (f.tool_calls, f.tool_errors) for name, f in tools(day(project))}

    # The most called, then by name: t00 to t48; t51 has one in another hour.
    assert len(found) == 52
    assert found["t52"] == (2, 1)
    assert found["t51"] == (1, 0)
    assert found[""] == (3, 0)
    assert totals(project).tool_calls == 55


def test_a_forks_tool_calls_are_its_own(project, counted):
    one = Told(project, "10:00").turn("10:01", exchange=called("pay", failed=True))
    one.fork(0, "10:02").turn("10:03", exchange=called("pay"))
    one.update("10:04").back(0, "10:05")
    counted()

    found = totals(project)

    # Stepping back unsays no call.
    assert (found.tool_calls, found.tool_errors) == (2, 1)
