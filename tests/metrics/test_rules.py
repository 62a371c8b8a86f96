"""Rules for each agent and release, other metrics, quiet hours, owners, and replays."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.audit.models import Event
from apps.core.errors import InvalidRequest
from apps.metrics import alerting
from apps.metrics import operations as metrics
from apps.metrics.alerting.looks import unlike
from apps.metrics.errors import RuleNotFiring
from apps.metrics.figures import Figures
from apps.metrics.models import GivenRules, Rule
from tests.acts import act_in
from tests.feeding import feed_all
from tests.metrics.make import Told, called

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now().replace(minute=30, second=0, microsecond=0) - timedelta(hours=3)
LATER = timedelta(minutes=1)


def make(project, **fields):
    told = {"name": "Any", "threshold": 0.05, "for_minutes": 0, "minimum_sample": 2}
    return metrics.make_rule(fields=told | fields, act=act_in(project, now=NOW))


def sessions(project, count, bad=0, *, agent="travel", release=None, at=NOW):
    for number in range(count):
        one = Told(project, at - LATER * 5, agent=agent, release=release)
        one.update(at - LATER * 4, release=release)
        if number < bad:
            one.back(0, at - LATER * 3)
    feed_all(now=NOW)


def look(now=NOW):
    """Sweep without the rules that every project is given."""
    for project in Project.objects.all():
        GivenRules.objects.get_or_create(project_id=project.id, defaults={"edition": 2})
    alerting.sweep(now=now)


def seen(rule):
    rule.refresh_from_db()
    return rule.state, rule.value, rule.sample


def test_a_rule_for_each_agent_tells_of_those_that_go_wrong(project):
    sessions(project, 4, 2)
    sessions(project, 4, 0, agent="refund")
    sessions(project, 1, 1, agent="few")
    parent = make(project, each="agent")

    look()

    mine = Rule.objects.following(parent.id).order_by("value")
    assert [(one.state, one.value) for one in mine] == [("ok", 0.0), ("firing", 0.5)]
    assert seen(parent) == ("firing", 0.5, 4)
    (told,) = Event.objects.filter(action="alert.firing")
    assert told.details["agent_id"] == "travel"
    assert told.details["summary"].startswith("travel: Any fires: 50.0 % of 4 sessions")
    assert list(Rule.objects.firing()) == [mine[1]]


def test_a_rule_for_each_release_names_it(project):
    sessions(project, 3, 0, release="1.8.0")
    sessions(project, 3, 3, release="1.8.1")
    parent = make(project, each="release")

    look()

    found = {one.release: one.state for one in Rule.objects.following(parent.id)}
    assert found == {"1.8.0": "ok", "1.8.1": "firing"}
    (told,) = Event.objects.filter(action="alert.firing")
    assert told.details["release"] == "1.8.1"
    assert "release=1.8.1" in told.details["sessions_path"]


def test_those_that_follow_change_and_go_with_their_rule(project):
    sessions(project, 4, 2)
    parent = make(project, each="agent")
    look()
    (child,) = Rule.objects.following(parent.id)

    act = act_in(project, now=NOW)
    for verb in (
        lambda: metrics.change_rule(
            act=act, rule_id=child.id, fields={"threshold": 0.9}
        ),
        lambda: metrics.remove_rule(act=act, rule_id=child.id),
    ):
        with pytest.raises(InvalidRequest, match="follows another"):
            verb()
    metrics.change_rule(act=act, rule_id=parent.id, fields={"threshold": 0.9})
    child.refresh_from_db()
    assert child.threshold == 0.9

    metrics.remove_rule(act=act, rule_id=parent.id)
    assert not Rule.objects.exists()
    assert Event.objects.filter(action="alert.resolved").count() == 1


def test_who_has_nothing_for_a_week_is_followed_no_more(project):
    sessions(project, 4, 2)
    parent = make(project, each="agent", window="1h")
    look()

    look(NOW + timedelta(days=8))

    assert not Rule.objects.following(parent.id).exists()
    (told,) = Event.objects.filter(action="alert.resolved")
    assert "has nothing to look at" in told.details["summary"]


def test_older_projects_are_given_what_is_new_and_nothing_twice(project):
    GivenRules.objects.create(project_id=project.id, edition=1)

    alerting.sweep(now=NOW)
    alerting.sweep(now=NOW + LATER)

    assert {one.threshold for one in Rule.objects.filter(each="")} == {3.0}
    assert sorted(Rule.objects.exclude(each="").values_list("each", flat=True)) == [
        "agent",
        "release",
    ]


def test_rules_look_at_tools_latency_escalations_and_flags(project):
    one = Told(project, NOW - LATER * 9)
    one.turn(NOW - LATER * 8, exchange=called("pay", failed=True, ms=4_000))
    one.turn(NOW - LATER * 7, exchange=called("pay", ms=4_000))
    two = Told(project, NOW - LATER * 9)
    two.update(NOW - LATER * 6, objective_status="WAITING_FOR_HUMAN")
    feed_all(now=NOW)
    made = {
        name: make(project, metric=name, threshold=threshold)
        for name, threshold in (
            ("tool_errors", 0.5),
            ("latency", 4.0),
            ("escalation", 0.5),
            ("flagged", 0.5),
        )
    }

    look()

    assert seen(made["tool_errors"]) == ("firing", 0.5, 2)
    state, value, sample = seen(made["latency"])
    assert (state, sample) == ("firing", 2)
    assert 4.0 <= value <= 4.5
    assert seen(made["escalation"]) == ("firing", 0.5, 2)
    assert seen(made["flagged"]) == ("ok", 0.0, 2)


def test_a_lagging_worker_is_told_of_while_nothing_else_is_looked_at(project):
    lag = make(project, metric="worker_lag", threshold=120, minimum_sample=20)
    rate = make(project)
    Told(project, NOW - timedelta(minutes=3))

    alerting.sweep(now=NOW)

    assert seen(lag) == ("firing", 180.0, 1)
    assert seen(rate)[0] == "ok"
    rate.refresh_from_db()
    assert rate.evaluated_at is None
    (told,) = Event.objects.filter(action="alert.firing")
    assert "180.0 s, threshold 120 s" in told.details["summary"]


def test_a_rate_is_unlike_the_usual_one_beyond_chance(project):
    usual = Figures(sessions=400, rolled_back=8)

    assert unlike(Figures(sessions=100, rolled_back=2), usual, 20).value == 0.0
    assert unlike(Figures(sessions=100, rolled_back=12), usual, 20).value > 3
    assert unlike(Figures(sessions=100, rolled_back=0), usual, 20).value < 0
    # Weeks in which there was too little say nothing of today.
    assert unlike(Figures(sessions=50, rolled_back=50), Figures(), 20).value is None


def test_the_same_hours_of_four_weeks_are_what_is_usual(project):
    for week in (1, 2, 3, 4):
        sessions(project, 3, 0, at=NOW - timedelta(days=7 * week))
    # Another hour of the week is no measure of this one.
    sessions(project, 5, 5, at=NOW - timedelta(days=7, hours=5))
    made = make(project, metric="unlike_usual", threshold=3, window="1h")
    sessions(project, 4, 4)

    look()

    state, value, sample = seen(made)
    assert (state, sample) == ("firing", 4)
    assert value == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("clock", "is_quiet"),
    [("21:59", False), ("22:00", True), ("03:00", True), ("07:00", False)],
)
def test_quiet_hours_go_over_midnight_by_the_clocks_of_a_zone(project, clock, is_quiet):
    made = make(
        project, quiet_from=22 * 60, quiet_to=7 * 60, quiet_zone="America/New_York"
    )
    hour, minute = map(int, clock.split(":"))

    # In January New York is five hours behind.
    now = datetime(2026, 1, 10, hour, minute, tzinfo=UTC) + timedelta(hours=5)

    assert alerting.is_quiet(made, now) == is_quiet


def test_what_fires_in_quiet_hours_is_told_after_them(project):
    sessions(project, 4, 2)
    minute = NOW.hour * 60 + NOW.minute
    made = make(project, quiet_from=minute, quiet_to=(minute + 10) % 1440, window="24h")

    look()
    assert seen(made)[0] == "firing"
    assert not Event.objects.filter(action="alert.firing").exists()
    look(NOW + timedelta(minutes=10))
    assert Event.objects.filter(action="alert.firing").count() == 1


def test_what_fires_has_an_owner_until_it_is_over(project):
    sessions(project, 4, 2)
    made = make(project, window="24h")
    act = act_in(project, now=NOW)
    with pytest.raises(RuleNotFiring):
        metrics.acknowledge_rule(act=act, rule_id=made.id)
    look()
    with pytest.raises(InvalidRequest, match="No member"):
        metrics.acknowledge_rule(act=act, rule_id=made.id, owner="nobody")

    metrics.acknowledge_rule(act=act, rule_id=made.id)

    made.refresh_from_db()
    assert (made.owner, made.acknowledged_at) == (act.actor.label, NOW)
    (told,) = Event.objects.filter(action="alert.acknowledged")
    assert told.details["owner"] == made.owner
    metrics.change_rule(act=act, rule_id=made.id, fields={"threshold": 0.9})
    look(NOW + LATER)
    made.refresh_from_db()
    assert (made.state, made.owner, made.acknowledged_at) == ("resolved", "", None)


@pytest.mark.parametrize(
    "fields",
    [
        {"release": "r1"},
        {"each": "agent", "metric": "worker_lag"},
        {"each": "release", "metric": "latency"},
        {"each": "session"},
        {"quiet_from": 60},
        {"quiet_from": 60, "quiet_to": 1440},
        {"quiet_zone": "Mars"},
        {"threshold": 101},
        {"metric": "latency", "threshold": 90_000},
    ],
)
def test_a_rule_that_cannot_be_asked_is_refused(project, fields):
    with pytest.raises(InvalidRequest):
        make(project, **fields)
    assert not Rule.objects.exists()


def replayed(project, **fields):
    told = {"name": "Any", "threshold": 0.5, "for_minutes": 0, "minimum_sample": 2}
    rule = alerting.draft(project, told | fields)
    return alerting.replay(rule, alerting.Looks(NOW))


def test_a_replay_says_how_often_a_rule_would_have_fired(project):
    for days in (2, 5, 5.25, 20):
        sessions(project, 2, 2, at=NOW - timedelta(days=days))
    sessions(project, 4, 0)

    hourly = replayed(project, window="1h")
    daily = replayed(project, window="24h")

    assert (hourly.now.value, hourly.now.sample) == (0.0, 4)
    # Three hours of fourteen days; nothing says that it is over before the next one.
    assert hourly.looked == 3
    assert hourly.fired == 1
    # Six hours apart, the two of one day are of one window.
    assert daily.fired == 1
    assert replayed(project, window="1h", threshold=2.0).fired == 0


def test_a_replay_counts_a_session_of_many_hours_once(project):
    one = Told(project, NOW - timedelta(days=3))
    Told(project, NOW - timedelta(days=3))
    for hours in range(1, 6):
        one.update(NOW - timedelta(days=3) + timedelta(hours=hours))
    feed_all(now=NOW)

    # Two sessions, however often they did something: never three.
    assert replayed(project, window="24h", minimum_sample=3).looked == 0
    assert replayed(project, window="24h", minimum_sample=2).looked == 24


def test_nobody_knows_how_far_the_worker_was_behind(project):
    found = replayed(project, metric="worker_lag", threshold=60)

    assert (found.fired, found.now.value) == (None, 0.0)
