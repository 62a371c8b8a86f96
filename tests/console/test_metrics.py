"""The page of metrics: its numbers, its charts in words, and the lists behind them."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.agents.models import Agent
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
        answer = viewer.get(f"/console/{project.slug}/{path}{query}", headers=HTML)
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

    assert "Rollback rate between 0.0 % and 15.4 %" in page
    assert "at or above the 2 % threshold in 1 of 2 points" in page
    assert page.count("The same as a table") == 2
    assert "<script>" not in page
    assert " style=" not in page


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


def test_an_empty_time_says_what_would_fill_it(project, see):
    assert "No session was active in this time" in see()


@pytest.mark.parametrize(
    "query", ["?window=2h", "?from=yesterday", "?from=2099-01-01", "?agent=x"]
)
def test_a_range_that_cannot_be_read_is_said_on_the_page(query, see):
    assert 'role="alert"' in see(query, status=400)


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
