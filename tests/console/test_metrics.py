"""The page of metrics: its numbers, its charts in words, and the lists behind them."""

import csv
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.console.pages.metrics import files
from apps.metrics.facts import hour_of
from tests.console.make import HTML, signed_in
from tests.contracts.world import add_member
from tests.metrics.make import Told

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(project):
    """Of 25 sessions of `<travel>` three were rolled back; `billing` has few."""
    # In the middle of the hour before, so that no minute is in another hour.
    now = hour_of(timezone.now()) - timedelta(minutes=30)
    for number in range(25):
        release = "r1" if number < 12 else "r2"
        early = now - timedelta(hours=3) if number < 12 else now
        one = Told(project, early, agent="<travel>", release=release)
        one.update(early, now, release=release)
        if number >= 22:
            one.back(0, now + timedelta(minutes=1), reason="<bad> plan")
    Told(project, now, agent="billing").update(now).back(0, now)
    return now


@pytest.fixture
def see(client, project):
    viewer = signed_in(client, add_member(project, "vera", Role.VIEWER))

    def get(query="", path="metrics", status=200):
        where = f"/console/{project.slug}/{path}".rstrip("/")
        answer = viewer.get(f"{where}{query}", headers=HTML)
        assert answer.status_code == status
        return answer.content.decode()

    return get


def test_it_shows_the_rate_its_band_and_its_sample(told, see):
    page = see()

    assert "15.4 %" in page
    assert "4 of 26 sessions" in page
    assert 'class="band band-critical"' in page
    assert "Data as of" in page


def test_the_chart_is_told_in_words_and_as_a_table(told, see):
    page = see()

    assert "Rollback rate between 15.4 % and 15.4 %" in page
    assert "in 1 of 1 points; 1 more have under 20 sessions" in page
    assert page.count("The same as a table") == 2
    # The last of two points is of 26 sessions, the other one of 12.
    assert page.count('class="spot few"') == 1
    assert ">16 %</text>" in page
    assert "<script>" not in page
    assert " style=" not in page


def test_home_draws_the_day_and_leads_from_a_point_to_its_rollbacks(told, see):
    page = see(path="")

    figure = page.partition('<figure class="chart">')[2].partition("</figure>")[0]
    links = re.findall(r'<a href="([^"]+)" aria-label="[^"]*15.4 %', figure)
    assert len(links) == 1
    assert "/metrics/rollbacks?from=" in links[0]
    assert "Rollback rate between 15.4 % and 15.4 %" in figure


def test_agents_stand_worst_first_and_few_sessions_last(told, see):
    names = re.findall(r'<th scope="row" class="agent"><a [^>]*>([^<]*)<', see())

    assert names[:2] == ["&lt;travel&gt;", "billing"]


def test_every_number_leads_to_the_rollbacks_behind_it(told, see):
    page = see()
    behind = re.findall(r'href="(/console/checkout/metrics/rollbacks\?[^"]*)"', page)
    lists = {
        link: see(link.partition("rollbacks")[2], "metrics/rollbacks")
        for link in (one.replace("&amp;", "&") for one in behind)
    }

    assert len(lists) >= 6
    counts = {link: found.count("◆") for link, found in lists.items()}
    travel = Agent.objects.get(external_id="<travel>").id
    assert {n for link, n in counts.items() if f"agent={travel}" in link} == {3}
    assert [n for link, n in counts.items() if "reason=%3Cbad%3E" in link] == [3]
    assert [n for link, n in counts.items() if link.endswith("reason=")] == [1]
    assert [n for link, n in counts.items() if "release=r2" in link] == [3]


def test_a_release_stands_beside_the_one_before(told, see):
    page = see()

    assert "Before and after a release" in page
    assert re.search(r"r1</td>.*r2</td>", page, re.DOTALL)


def test_one_agent_has_a_page_of_its_own(told, see):
    agent = Agent.objects.get(external_id="billing")

    page = see(f"?window=7d&agent={agent.id}")

    assert "1 of 1 session" in page
    assert "few sessions" in page


def test_the_first_line_says_whether_it_gets_worse_and_because_of_what(project, see):
    now = hour_of(timezone.now()) - timedelta(minutes=30)
    for number in range(60):
        when = now - timedelta(days=1, hours=2) if number < 25 else now
        release = "1.8.0" if number < 30 else "<1.8.1>"
        one = Told(project, when, release=release).update(when, release=release)
        if number > 45:
            one.back(0, when)

    page = see()

    assert re.search(
        r"<h1>The rollback rate has risen, from 0.0 % in the 24 hours before to "
        r"40.0 %, most of it at travel &lt;1.8.1&gt;</h1>",
        page,
    )
    assert '<span class="mark-flag">+40.0 points</span>' in page
    assert 'class="before"' in page
    assert '<text class="release"' in page
    assert "Releases first seen in this time: 1" in page
    # A release of the time before is not new, and 1.8.0 is one.
    assert "travel 1.8.0" not in page


def test_the_time_before_is_left_out_on_demand(told, see):
    page = see("?compare=off")

    assert "points</span>" not in page
    assert 'class="before"' not in page
    assert "Compare with the 24 hours before" in page
    assert 'role="alert"' in see("?compare=never", status=400)


def test_one_session_is_never_critical(project, see):
    now = hour_of(timezone.now()) - timedelta(minutes=30)
    Told(project, now, release="r1").update(now, release="r1").back(0, now)

    page = see()

    assert "Under 20 sessions say little: 1 of 1 were rolled back" in page
    assert 'class="band band-critical"' not in page
    assert "shade-4" not in page.partition("</figure>")[2].partition("198")[0]
    assert page.count("shade-few") == 2


def test_the_header_keeps_what_was_chosen(told, see):
    agent = Agent.objects.get(external_id="<travel>")

    page = see(f"?window=7d&agent={agent.id}&compare=off")

    assert f'href="?agent={agent.id}&amp;compare=off&amp;window=24h"' in page
    assert 'aria-current="true">7 d</a>' in page
    assert 'href="?window=7d&amp;compare=off">All agents</a>' in page
    assert f'href="?window=7d&amp;agent={agent.id}">Compare with' in page


def test_an_empty_time_says_what_would_fill_it(project, see):
    assert "No session was active in this time" in see()


@pytest.mark.parametrize(
    "query", ["?window=2h", "?from=yesterday", "?from=2099-01-01", "?agent=x"]
)
def test_a_range_that_cannot_be_read_is_said_on_the_page(query, see):
    assert 'role="alert"' in see(query, status=400)


@pytest.fixture
def zoned(see, client):
    """Read as somebody whose browser says that its clocks are of a zone."""

    def get(zone, *asked, **more):
        client.cookies["stepback_zone"] = zone
        return see(*asked, **more)

    return get


# Days of New York begin at 05:00 UTC.
FOUR_DAYS = "?from=2026-02-28&to=2026-03-04"


@pytest.fixture
def in_march(project):
    evening = datetime(2026, 3, 2, 4, 30, tzinfo=UTC)
    told = Told(project, evening).update(evening)
    told.back(0, evening, reason="late_evening")
    Told(project, datetime(2026, 3, 2, 5, 30, tzinfo=UTC))


def test_days_and_hours_are_those_of_the_reader(in_march, zoned):
    here, there = zoned("", FOUR_DAYS), zoned("America/New_York", FOUR_DAYS)

    # Late on Sunday there, and another day.
    assert "<title>2 Mar 2026, 00:00 UTC: 50.0 %: 1 of 2 sessions" in here
    assert "<title>Mon 04:00 UTC: 100.0 %, 1 of 1 sessions" in here
    assert "<title>1 Mar 2026, 00:00 EST: 100.0 %: 1 of 1 sessions" in there
    assert "<title>2 Mar 2026, 00:00 EST: 0.0 %: 0 of 1 sessions" in there
    assert "<title>Sun 23:00 America/New_York: 100.0 %, 1 of 1 sessions" in there
    for page, name in ((here, "UTC"), (there, "America/New_York")):
        assert page.count(f"Times are {name}.") == 1
        assert page.count(f"Hours are those of {name}.") == 2
        assert f'<th scope="col">From ({name})</th>' in page
        assert f"those of <strong>{name}</strong>" in page


def test_a_point_leads_to_the_rollbacks_of_the_readers_day(in_march, zoned, see):
    page = zoned("America/New_York", FOUR_DAYS)
    first = re.search(
        r'<a href="[^"]*/rollbacks(\?[^"]*)" aria-label="1 Mar 2026, 00:00 EST', page
    )

    behind = see(first[1].replace("&amp;", "&"), "metrics/rollbacks")

    assert "from=2026-03-01T05%3A00%3A00%2B00%3A00" in first[1]
    assert "to=2026-03-02T05%3A00%3A00%2B00%3A00" in first[1]
    assert (behind.count("◆"), behind.count("late_evening")) == (1, 1)


def test_what_is_typed_is_of_the_zone_that_the_form_names(in_march, zoned):
    typed = "?from=2026-03-01T23%3A00&to=2026-03-02T00%3A00&zone=America%2FNew_York"

    there, elsewhere = zoned("America/New_York", typed), zoned("Asia/Tokyo", typed)

    for page in (there, elsewhere):
        assert 'datetime="2026-03-02T04:00:00+00:00"' in page
        assert "1 of 1 sessions" in page
    assert 'value="2026-03-01T23:00"' in there
    assert 'name="zone" value="America/New_York"' in there
    # Somebody else follows the link, and sees the same time by their clocks.
    assert 'value="2026-03-02T13:00"' in elsewhere
    assert 'name="zone" value="Asia/Tokyo"' in elsewhere


def test_a_link_without_a_zone_is_of_utc_whoever_reads_it(in_march, zoned):
    page = zoned("Asia/Tokyo", "?from=2026-03-02T04%3A00&to=2026-03-02T05%3A00")

    assert 'datetime="2026-03-02T04:00:00+00:00"' in page
    assert "1 of 1 sessions" in page


@pytest.mark.parametrize(
    "said", ["Mars/Olympus", "../../etc/passwd", "<script>", "A" * 3_000, "localtime"]
)
def test_a_zone_that_there_is_not_is_utc(said, in_march, zoned):
    page = zoned(said, FOUR_DAYS)

    assert "Times are UTC." in page
    assert "<script>" not in page
    assert 'name="zone"' not in page
    assert len(said) < 100 or said not in page


def test_a_zone_that_there_is_not_is_no_zone_of_a_range(in_march, see):
    assert 'role="alert"' in see(f"{FOUR_DAYS}&zone=Mars", status=400)
    see("?from=0001-01-01&to=0001-01-02", status=400)
    see("?from=0001-01-01&to=0001-01-02", "metrics/rollbacks", status=400)


def test_an_agent_of_another_project_is_not_found(told, see, other_project):
    Told(other_project, told, agent="theirs")
    theirs = Agent.objects.get(external_id="theirs")

    see(f"?agent={theirs.id}", status=404)
    see(f"?agent={theirs.id}", "metrics/rollbacks", status=404)


def test_hostile_words_are_shown_as_text(told, see):
    page = see("?window=24h", "metrics/rollbacks")

    assert "&lt;bad&gt; plan" in page
    assert "<bad>" not in page


def test_the_list_of_rollbacks_has_pages(project, see):
    now = timezone.now() - timedelta(minutes=30)
    told = Told(project, now)
    for _ in range(60):
        told.update(now).back(0, now)

    first = see("", "metrics/rollbacks")
    older = re.search(r'href="(\?after=[^"]*)" rel="next"', first)
    second = see(older[1].replace("&amp;", "&"), "metrics/rollbacks")

    assert first.count("◆") + second.count("◆") == 60


def rows_of(answer):
    return list(csv.reader(answer.splitlines()))


def test_every_table_and_chart_has_its_file(told, see):
    page = see("?window=7d")
    links = re.findall(r'href="[^"]*/(metrics/export)(\?[^"]*)" download', page)

    found = {
        one.rpartition("table=")[2]: rows_of(see(one.replace("&amp;", "&"), path))
        for path, one in links
    }

    assert set(found) == set(files.TABLES)
    numbers = {row[0]: row[1:] for row in found["numbers"]}
    assert numbers["sessions"] == ["26", "0"]
    assert numbers["sessions_rolled_back"] == ["4", "0"]
    assert float(numbers["rollback_rate"][0]) == pytest.approx(4 / 26)
    assert numbers["rollback_rate"][1] == ""
    assert [row[0] for row in found["agents"][1:]] == ["<travel>", "billing"]
    assert sum(int(row[3]) for row in found["over-time"][1:]) == 4
    assert sum(int(row[3]) for row in found["week"][1:]) == 4
    assert ["not told", *found["reason"][1][1:3]] == [
        found["reason"][2][0],
        str(3 / 26),
        "3",
    ]


def test_a_file_keeps_its_time_and_says_it_in_the_readers_zone(in_march, zoned):
    page = zoned("America/New_York", FOUR_DAYS)
    (link,) = re.findall(r'export(\?[^"]*table=over-time)"', page)

    rows = rows_of(zoned("", link.replace("&amp;", "&"), "metrics/export"))

    assert rows[1][:2] == ["2026-03-01T00:00:00-05:00", "2026-03-02T00:00:00-05:00"]
    assert rows[1][3:5] == ["1", "1"]


def test_no_cell_of_a_file_is_a_formula(project, see):
    now = timezone.now() - timedelta(minutes=3)
    one = Told(project, now, agent="=cmd|' /C calc'!A0", release="@SUM(1)")
    one.update(now, release="@SUM(1)").back(0, now, reason="+1")

    found = "".join(
        see(f"?table={table}", "metrics/export") for table in ("agents", "release")
    ) + see("", "metrics/rollbacks/export")

    cells = [cell for row in rows_of(found) for cell in row]
    assert "'=cmd|' /C calc'!A0" in cells
    assert "'@SUM(1)" in cells
    assert "'+1" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "@", "+"))]


def test_a_file_of_rollbacks_has_what_the_list_has(told, see):
    rows = rows_of(see("?release=r2", "metrics/rollbacks/export"))

    assert len(rows) == 1 + 3
    assert rows[0][:4] == ["time", "session_id", "version", "restored_version"]
    assert {row[9] for row in rows[1:]} == {"<bad> plan"}


@pytest.mark.parametrize("query", ["?table=users", "?window=2h", "?compare=maybe"])
def test_a_file_that_there_is_not_is_refused(query, see):
    see(query, "metrics/export", status=400)
