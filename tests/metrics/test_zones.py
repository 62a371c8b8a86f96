"""Days and hours of the reader's zone, against answers counted by hand.

In 2026 Berlin's clocks go from 2 to 3 on 29 March and from 3 to 2 on 25 October, both
at 01:00 UTC: days of 23 and of 25 hours.
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from apps.core.time.moments import clock_text, moment
from apps.core.time.zones import RENAMED, zone_named
from apps.metrics import zones
from apps.metrics.facts import HOUR
from apps.metrics.models import Due, Reach
from apps.metrics.ranges import Range
from tests.metrics.make import Told, at, reading, roll_up

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
KOLKATA = ZoneInfo("Asia/Kolkata")
MARCH = datetime(2026, 3, 29, tzinfo=UTC)
OCTOBER = datetime(2026, 10, 25, tzinfo=UTC)


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture(params=["live", "rolled up"])
def counted(request, transactional_db):
    """Run a test twice: with all hours counted from the facts, and none."""

    def settle(now):
        if request.param == "rolled up":
            assert roll_up(now) > 0
            assert not Due.objects.exists()
        else:
            assert not Reach.objects.exists()

    return settle


def days_of(project, start, end, zone):
    points = reading(project, start, end).series(zone)
    return [(p.start, p.sessions, p.rolled_back, p.rollbacks) for p in points]


def week_of(project, start, end, zone):
    cells = reading(project, start, end).week(zone)
    return {key: (cell.sessions, cell.rolled_back) for key, cell in cells.items()}


def test_a_day_of_23_hours_ends_an_hour_early(project, counted):
    Told(project, at("-1 22:59", MARCH))  # 28 March 23:59
    Told(project, at("-1 23:00", MARCH))  # 29 March 00:00
    twice = Told(project, at("00:30", MARCH))  # 29 March 01:30
    twice.update(at("21:30", MARCH)).back(0, at("21:59", MARCH))  # 29 March 23:59
    Told(project, at("22:00", MARCH))  # 30 March 00:00
    counted(at("+3 00:00", MARCH))
    start, end = at("-2 00:00", MARCH), at("+2 00:00", MARCH)

    assert days_of(project, start, end, BERLIN) == [
        (at("-2 23:00", MARCH), 1, 0, 0),
        (at("-1 23:00", MARCH), 2, 1, 1),
        (at("22:00", MARCH), 1, 0, 0),
    ]
    assert days_of(project, start, end, UTC) == [
        (at("-1 00:00", MARCH), 2, 0, 0),
        (MARCH, 2, 1, 1),
    ]


def test_a_day_of_25_hours_ends_an_hour_late(project, counted):
    Told(project, at("-1 21:59", OCTOBER))  # 24 October 23:59
    Told(project, at("-1 22:00", OCTOBER))  # 25 October 00:00
    late = at("22:59", OCTOBER)  # 25 October 23:59
    Told(project, late).update(late).back(0, late)
    Told(project, at("23:00", OCTOBER))  # 26 October 00:00
    counted(at("+3 00:00", OCTOBER))

    found = days_of(project, at("-2 00:00", OCTOBER), at("+2 00:00", OCTOBER), BERLIN)

    assert found == [
        (at("-2 22:00", OCTOBER), 1, 0, 0),
        (at("-1 22:00", OCTOBER), 2, 1, 1),
        (at("23:00", OCTOBER), 1, 0, 0),
    ]


def test_an_hour_that_comes_twice_is_one_of_the_week(project, counted):
    # 02:30 of summer time, and 02:30 an hour later; then 03:30.
    told = Told(project, at("00:30", OCTOBER)).update(at("01:30", OCTOBER))
    told.back(0, at("01:40", OCTOBER)).update(at("02:30", OCTOBER))
    counted(at("+2 00:00", OCTOBER))

    found = week_of(project, OCTOBER, at("+1 00:00", OCTOBER), BERLIN)

    assert found == {(7, 2): (2, 1), (7, 3): (1, 0)}


def test_an_hour_that_is_left_out_has_nothing(project, counted):
    Told(project, at("00:30", MARCH)).update(at("01:30", MARCH))  # 01:30, then 03:30
    counted(at("+2 00:00", MARCH))
    start, end = MARCH, at("+1 00:00", MARCH)

    assert week_of(project, start, end, BERLIN) == {(7, 1): (1, 0), (7, 3): (1, 0)}
    assert week_of(project, start, end, UTC) == {(7, 0): (1, 0), (7, 1): (1, 0)}


def test_the_week_west_of_utc_begins_the_day_before(project, counted):
    # Wednesday 11 March 2026, 02:30 UTC: Tuesday 22:30 in New York.
    Told(project, "+1 02:30").update("+1 02:40").back(0, "+1 02:45")
    counted("+3 00:00")

    found = week_of(project, at("00:00"), at("+2 00:00"), NEW_YORK)

    assert found == {(2, 22): (1, 1)}


def test_half_an_hour_away_an_hour_is_of_the_day_in_which_it_begins(project, counted):
    # 18:00 UTC is 23:30 in Kolkata: all of that hour is of Tuesday, 23 o'clock.
    Told(project, "18:10")
    Told(project, "18:40")
    Told(project, "19:00")
    counted("+3 00:00")
    start, end = at("-1 00:00"), at("+2 00:00")

    assert days_of(project, start, end, KOLKATA) == [
        (at("-1 19:00"), 2, 0, 0),
        (at("19:00"), 1, 0, 0),
    ]
    assert week_of(project, start, end, KOLKATA) == {(2, 23): (2, 0), (3, 0): (1, 0)}


def test_a_range_that_begins_within_a_day_has_all_its_sessions(project, counted):
    # Active earlier that day already, which is no part of what is asked for.
    Told(project, "08:10").update("12:10").back(0, "12:20")
    counted("+4 00:00")

    found = days_of(project, at("10:00"), at("+3 00:00"), UTC)

    assert found == [(at("10:00"), 1, 1, 1)]


def test_a_short_range_has_points_of_what_lies_in_it(project, counted):
    Told(project, "10:10").update("10:11").back(0, "10:12")
    Told(project, "10:20").update("11:05").back(0, "11:20")
    counted("+1 00:00")
    start, end = at("10:15"), at("11:15")

    assert days_of(project, start, end, UTC) == [
        (at("10:15"), 1, 0, 0),
        (at("11:00"), 1, 0, 0),
    ]
    assert week_of(project, start, end, BERLIN) == {(2, 11): (1, 0), (2, 12): (1, 0)}
    of_nobody = reading(project, start, end, agents=[])
    assert (of_nobody.series(), of_nobody.week()) == ([], {})


@pytest.mark.parametrize(
    ("zone", "start", "end", "begin"),
    [
        # Midnight is left out: the day begins at 01:00.
        ("America/Sao_Paulo", "2018-11-02T12:00", "2018-11-05T12:00", "03 03 02"),
        # 30 December never was.
        ("Pacific/Apia", "2011-12-28T12:00", "2012-01-01T12:00", "10 10 10 10"),
        ("Asia/Kathmandu", "2026-03-10T12:00", "2026-03-13T00:00", "19 19 19"),
        ("America/St_Johns", "2026-03-10T12:00", "2026-03-13T00:00", "03 03"),
    ],
)
def test_days_begin_at_the_first_whole_hour_of_them(zone, start, end, begin):
    found = zones.starts(Range(start=utc(start), end=utc(end)), ZoneInfo(zone))

    assert found[0] == utc(start)
    assert [f"{one:%H}" for one in found[1:]] == begin.split()
    local = [one.astimezone(ZoneInfo(zone)) for one in found]
    assert len({one.date() for one in local}) == len(local)
    assert all(one.hour < 2 for one in local[1:])


@pytest.mark.parametrize(
    "name", ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca"]
)
def test_shifts_say_of_each_hour_what_the_zone_says(name):
    zone, since = ZoneInfo(name), utc("2025-10-01T00:00")
    until = since + timedelta(days=400)
    shifts = zones.shifts(since, until, zone)

    hour, place = since, 0
    while hour < until:
        while place + 1 < len(shifts) and shifts[place + 1][0] <= hour:
            place += 1
        said = hour.astimezone(zone).utcoffset()
        assert timedelta(seconds=shifts[place][1]) == said, hour
        hour += HOUR
    assert len(shifts) <= 5


def test_a_name_is_looked_up_and_never_opened():
    assert zone_named("UTC") is UTC
    assert str(zone_named("Europe/Berlin")) == "Europe/Berlin"
    for name in ("", "utc", "localtime", "../../etc/passwd", "/etc/passwd", "A" * 9999):
        assert zone_named(name) is None
    for name in ("Europe/Berlin\x00", "posix/UTC", "Europe", "Mars/Olympus_Mons"):
        assert zone_named(name) is None


@pytest.mark.parametrize("name", RENAMED)
def test_a_name_that_was_given_up_is_the_zone_of_today(name):
    assert str(zone_named(name)) == RENAMED[name]


@pytest.mark.parametrize(
    ("at", "text"),
    [
        ("2026-01-31T11:00", "2026-01-31T12:00"),
        ("2026-01-31T11:00:05.000250", "2026-01-31T12:00:05.000250"),
        ("2026-10-25T00:30", "2026-10-25T02:30"),
        ("2026-10-25T01:30", "2026-10-25T02:30:00+01:00"),
    ],
)
def test_what_clocks_show_can_be_read_again(at, text):
    assert clock_text(utc(at), BERLIN) == text
    assert moment(text, BERLIN) == utc(at)
