"""The numbers over REST: what is told, of whom, and what is refused."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.agents.models import Agent
from tests.metrics.make import Told, called

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(project):
    """Of 25 sessions of `travel` three were rolled back; of 2 of `billing` one."""
    now = timezone.now() - timedelta(minutes=30)
    for number in range(25):
        one = Told(project, now, release="r2").update(now, now)
        if number < 3:
            one.back(0, now + timedelta(minutes=number), reason="bad_plan")
    Told(project, now, agent="billing").update(now).back(0, now)
    Told(project, now, agent="billing", release="r1")
    return now


def test_the_summary_has_the_rate_and_its_sample(told, api):
    body = api().get("/v1/metrics/summary").body

    assert body["window"] == "24h"
    assert body["thresholds"] == {"watch": 0.02, "warning": 0.05, "critical": 0.1}
    found = body["figures"]
    assert (found["sessions"], found["rolled_back"]) == (27, 4)
    assert found["rollback_rate"] == 4 / 27
    assert found["rollbacks_per_session"] == 4 / 27
    assert found["band"] == "critical"
    assert (found["versions_set_aside"], found["mean_depth"]) == (7, 1.75)
    assert [one["rollbacks"] for one in body["depth"]] == [1, 3, 0, 0, 0, 0, 0]
    assert sum(one["rollbacks"] for one in body["seconds_to_rollback"]) == 4


def test_agents_are_ranked_and_small_samples_come_last(told, api):
    body = api().get("/v1/metrics/agents").body

    ranked = [(a["agent_id"], a["rollback_rate"], a["band"]) for a in body["data"]]
    assert ranked == [("travel", 3 / 25, "critical"), ("billing", 0.5, "unknown")]


def test_a_breakdown_has_the_rate_of_each_value(told, api):
    client = api()

    releases = client.get("/v1/metrics/breakdown", {"by": "release"}).body["data"]
    reasons = client.get("/v1/metrics/breakdown", {"by": "reason"}).body["data"]
    actors = client.get("/v1/metrics/breakdown", {"by": "actor"}).body["data"]

    # What went wrong told no release: nothing is laid to one that was told.
    assert [(r["value"], r["sessions"], r["rolled_back"]) for r in releases] == [
        ("", 26, 4),
        ("r2", 25, 0),
        ("r1", 1, 0),
    ]
    assert [(r["value"], r["sessions"], r["rolled_back"]) for r in reasons] == [
        ("bad_plan", 27, 3),
        ("", 27, 1),
    ]
    assert [(r["value"], r["rollbacks"]) for r in actors] == [("user:olga", 4)]


def test_a_series_has_points(told, api):
    for query in ({"window": "24h"}, {"window": "30d"}):
        points = api().get("/v1/metrics/series", query).body["data"]

        assert sum(point["rollbacks"] for point in points) == 4


@pytest.fixture
def tools(project):
    """`travel` searched three times, twice in vain; `billing` paid."""
    now = timezone.now() - timedelta(minutes=30)
    travel = Told(project, now)
    for number in range(3):
        told_so = called("search", failed=number > 0, ms=100 * number)
        travel.turn(now, exchange=told_so)
    Told(project, now, agent="billing").turn(now, exchange=called("pay", ms=2_600))


@pytest.mark.parametrize("window", ["1h", "24h"])
def test_tools_are_told_with_their_errors(window, tools, api):
    client = api()

    found = client.get("/v1/metrics/tools", {"window": window}).body["data"]
    summary = client.get("/v1/metrics/summary", {"window": window}).body

    assert found == [
        {"tool": "search", "calls": 3, "errors": 2, "error_rate": 2 / 3},
        {"tool": "pay", "calls": 1, "errors": 0, "error_rate": 0.0},
    ]
    figures = summary["figures"]
    assert (figures["tool_calls"], figures["tool_errors"]) == (4, 2)
    assert (figures["tool_error_rate"], figures["timed_turns"]) == (0.5, 4)
    assert figures["mean_latency_ms"] == 2_900 / 4
    assert [one["turns"] for one in summary["latency_ms"]] == [3, 0, 0, 0, 1, 0, 0, 0]


def test_the_list_of_tools_is_bounded(tools, api):
    body = api().get("/v1/metrics/tools", {"limit": "1"}).body

    assert [one["tool"] for one in body["data"]] == ["search"]
    assert body["has_more"]


def test_tools_of_other_agents_are_not_told(tools, api, make_key, other_project):
    limited = api(make_key(scope="read", agents=["billing"]))
    stranger = api(make_key(project=other_project))

    assert [t["tool"] for t in limited.get("/v1/metrics/tools").body["data"]] == ["pay"]
    assert stranger.get("/v1/metrics/tools").body["data"] == []


def test_one_agent_can_be_asked_for(told, api):
    client, billing = api(), Agent.objects.get(external_id="billing")

    for name in ("billing", billing.id):
        body = client.get("/v1/metrics/summary", {"agent_id": name}).body
        assert body["figures"]["sessions"] == 2
    nobody = client.get("/v1/metrics/summary", {"agent_id": "x"}).body
    assert nobody["figures"]["sessions"] == 0


def test_a_key_for_some_agents_sees_their_numbers_alone(told, api, make_key):
    client = api(make_key(scope="read", agents=["billing"]))

    assert client.get("/v1/metrics/summary").body["figures"]["sessions"] == 2
    assert len(client.get("/v1/metrics/agents").body["data"]) == 1
    assert client.get("/v1/dashboard/stats").body["stats"]["total_sessions"] == 2
    theirs = client.get("/v1/metrics/summary", {"agent_id": "travel"}).body
    assert theirs["figures"]["sessions"] == 0


def test_a_stranger_sees_nothing(told, api, make_key, other_project):
    client = api(make_key(project=other_project))

    body = client.get("/v1/metrics/summary").body

    assert body["figures"]["sessions"] == 0
    assert body["figures"]["rollback_rate"] is None
    stats = client.get("/v1/dashboard/stats").body["stats"]
    assert set(stats.values()) == {0}


def test_the_contracts_stats(told, api):
    body = api().get("/v1/dashboard/stats").body

    assert body["stats"]["total_sessions"] == 27
    assert body["stats"]["active_sessions_24h"] == 27
    assert body["stats"]["storage_usage_bytes"] > 0
    assert sum(hour["count"] for hour in body["recent_activity"]) == 27 + 51 + 4


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"window": "2h"}, "window"),
        ({"window": ""}, "window"),
        ({"window": "1h", "from": "2026-01-01"}, "window"),
        ({"to": "2026-01-01"}, "to"),
        ({"from": "2099-01-01"}, "from"),
        ({"from": "2026-02-02", "to": "2026-02-01"}, "from"),
        ({"from": "2020-02-02"}, "from"),
        ({"from": "0001-01-01", "to": "0001-01-01T01:00"}, "from"),
        ({"from": "yesterday"}, "from"),
    ],
)
def test_a_range_that_is_none_is_refused_by_name(query, param, api):
    answer = api().get("/v1/metrics/summary", query)

    assert (answer.status, answer.param) == (400, param)


def test_a_breakdown_by_nothing_known_is_refused(api):
    for by in ("mood", ""):
        assert api().get("/v1/metrics/breakdown", {"by": by}).param == "by"
