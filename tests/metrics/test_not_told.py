"""What versions do not tell of their release and model, and rollbacks of their reason.

It has a row of its own, so that no breakdown looks as if it were of all sessions.
"""

import pytest
from django.core.management import call_command

from apps.accounts.models import Role
from apps.metrics.models import Reach
from apps.metrics.ranking import breakdown
from tests.console.make import HTML, signed_in
from tests.contracts.world import add_member
from tests.metrics.make import KEY, OLGA, Told, at, reading, roll_up

pytestmark = pytest.mark.django_db(transaction=True)


def by(project, what, start="00:00", end="+1 00:00"):
    """Return {value: (sessions, rolled back, rollbacks)}."""
    found = breakdown(reading(project, start, end, now=at("+3 00:00")), what)
    return {
        value: (one.sessions, one.rolled_back, one.rollbacks) for value, one in found
    }


@pytest.mark.parametrize("what", ["release", "model"])
def test_sessions_that_tell_none_are_a_row_and_counted_once(project, counted, what):
    Told(project, "10:00", **{what: "x1"}).update("10:10", **{what: "x1"})
    # In many hours one session, and one that was rolled back.
    Told(project, "10:00").update("10:05", "12:00", "15:00")
    Told(project, "11:00").update("11:05").back(0, "18:00")
    counted()

    assert by(project, what) == {"x1": (1, 0, 0), "": (2, 1, 1)}
    assert by(project, what, "12:00", "16:00") == {"": (1, 0, 0)}
    # What went wrong before the range is active in it by its rollback.
    assert by(project, what, "17:00", "20:00") == {"": (1, 1, 1)}


def test_one_that_tells_it_here_and_not_there_is_in_both_rows(project, counted):
    told = Told(project, "10:00").update("10:10", release="r1").update("10:20")
    told.back(0, "10:30").back(1, "10:40")
    counted()

    # The first is laid to v1, of r1; the second to v2, which told none.
    assert by(project, "release") == {"r1": (1, 1, 1), "": (1, 1, 1)}


def test_an_empty_release_is_none_that_was_told(project, counted):
    Told(project, "10:00", release="").update("10:10", release="", model="")
    counted()

    assert by(project, "release") == {"": (1, 0, 0)}
    assert by(project, "model") == {"": (1, 0, 0)}


def test_what_people_do_and_turns_alone_are_not_asked_for_it(project, counted):
    told = Told(project, "10:00", release="r1", model="m1")
    told.update("10:05", by=OLGA)
    told.turn("10:10").fork(0, "10:20")
    told.back(0, "10:30").undo(2, "10:40")
    counted()

    assert by(project, "release") == {"r1": (1, 0, 0), "": (1, 1, 1)}
    assert by(project, "release", "10:00", "10:30") == {"r1": (1, 0, 0)}


def test_it_takes_no_name_from_the_first_ten(project, counted):
    told = Told(project, "10:00")
    for number in range(12):
        told.update(f"10:{number + 1:02}", release=f"r{number}").update(
            f"10:{number + 1:02}:30"
        )
    counted()

    found = by(project, "release")

    named = {f"r{number}": (1, 0, 0) for number in range(10)}
    assert found == {**named, "": (1, 0, 0), None: (1, 0, 0)}


def test_made_anew_it_is_the_same(project):
    Told(project, "10:00").update("12:00", release="r1").update("13:00")
    live = by(project, "release")
    roll_up("+2 00:00")
    kept = list(Reach.objects.values_list().order_by("measure", "value", "hour"))

    call_command("rebuild_rollups", project=project.slug, verbosity=0)

    assert by(project, "release") == live
    again = list(Reach.objects.values_list().order_by("measure", "value", "hour"))
    assert [row[1:] for row in again] == [row[1:] for row in kept]


ASKED = {"from": "2026-03-10", "to": "2026-03-11"}


@pytest.fixture
def see(project, client):
    reader = signed_in(client, add_member(project, "vera", Role.VIEWER))

    def get(path="metrics", **asked):
        where = f"/console/{project.slug}/{path}"
        answer = reader.get(where, ASKED | asked, headers=HTML)
        assert answer.status_code == 200
        return answer.content.decode()

    return get


def test_the_page_has_a_row_that_leads_to_its_rollbacks(project, see):
    Told(project, "10:00").update("10:05").back(0, "10:10", by=KEY)
    told = Told(project, "10:00", release="r1", model="m1")
    told.update("10:05", release="r1", model="m1").back(0, "10:10", reason="bad_plan")

    text = see()
    behind = see("metrics/rollbacks", release="")

    assert text.count(">not told</a>") == 3  # reason, release and model
    assert "No version said" not in text
    assert (behind.count("◆"), behind.count("told no release")) == (1, 1)
    assert see("metrics/rollbacks", model="").count("◆") == 1
    assert see("metrics/rollbacks", release="r1").count("◆") == 1
    assert see("metrics/rollbacks").count("◆") == 2


def test_without_any_release_the_page_says_how_to_tell_one(project, see):
    Told(project, "10:00").update("10:05")

    text = see()

    assert text.count(">not told</a>") == 2
    assert "send <code>release</code> with a write" in text
    assert "No rollbacks in this time." in text
    # What was not told is no release before or after another one.
    assert "Before and after a release" not in text


def test_it_stands_in_the_table_however_many_releases_there_are(project, see):
    told = Told(project, "10:00")
    for number in range(24):
        told.update(f"{number // 3 + 11}:{number:02}", release=f"r{number}")

    text = see()

    assert text.count(">not told</a>") == 2
    assert "14 more are in <code>/v1/metrics/breakdown?by=release</code>" in text


def test_the_api_tells_it_by_an_empty_value(project, api):
    Told(project, "10:00").update("10:05").back(0, "10:10")

    for what in ("release", "model", "reason"):
        asked = {"by": what, **ASKED}
        (row,) = api().get("/v1/metrics/breakdown", asked).body["data"]
        told = row["value"], row["sessions"], row["rolled_back"], row["rollbacks"]
        assert told == ("", 1, 1, 1)
