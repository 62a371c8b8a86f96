"""Rules: what they start with, how they change, whom they tell, and when not."""

import json
import re
import threading
from datetime import timedelta

import pytest
from django.core import mail
from django.db import OperationalError, connection
from django.utils import timezone

from apps.audit.models import Event
from apps.metrics import alerting
from apps.metrics import operations as metrics
from apps.metrics.alerting import sweeping
from apps.metrics.models import GivenRules, Rule
from apps.metrics.range_query import Reading
from apps.webhooks import operations as webhooks
from apps.webhooks.models import Delivery, Message
from tests.acts import act_in
from tests.contracts.world import add_member
from tests.feeding import feed_all
from tests.metrics.make import LOCKED, NO_ROOM, TOO_LONG, Told, refused

pytestmark = pytest.mark.django_db(transaction=True)

START = timezone.now().replace(minute=30, second=0, microsecond=0) - timedelta(hours=3)

LINKS = ("dashboard_path", "sessions_path", "rule_path")


def minutes(count):
    return START + timedelta(minutes=count)


@pytest.fixture
def sessions(project):
    """`sessions(20, 2)` are 20 active ones, of which two are rolled back."""

    def make(active, rolled_back, agent="travel"):
        for number in range(active):
            told = Told(project, minutes(-20), agent=agent).update(minutes(-19))
            if number < rolled_back:
                told.back(0, minutes(-18))
        feed_all(now=START)

    return make


@pytest.fixture
def rule(project):
    def make(**fields):
        told = {"name": "Too many", "threshold": 0.05, **fields}
        return metrics.make_rule(fields=told, act=act_in(project, now=START))

    return make


def states(rule, *moments):
    found = []
    for moment in moments:
        alerting.evaluate(rule.id, looks=alerting.Looks(minutes(moment)))
        rule.refresh_from_db()
        found.append(rule.state)
    return found


def told(action="alert.firing"):
    return list(Event.objects.filter(action=action).order_by("id"))


def test_the_guides_thresholds_are_on_from_the_start(project):
    alerting.sweep(now=START)
    alerting.sweep(now=minutes(1))

    rules = Rule.objects.order_by("id")
    given = [(r.metric, r.each, r.threshold, r.window) for r in rules]
    assert sorted(given) == [
        ("rollback_rate", "", 0.05, "24h"),
        ("rollback_rate", "", 0.10, "24h"),
        ("rollback_rate", "agent", 0.10, "24h"),
        ("rollback_rate", "release", 0.10, "24h"),
        ("unlike_usual", "", 3.0, "24h"),
    ]
    assert {r.minimum_sample for r in rules} == {20}
    assert {r.state for r in rules} == {"ok"}


def test_who_removes_them_does_not_get_them_again(project):
    alerting.sweep(now=START)
    for one in Rule.objects.all():
        metrics.remove_rule(rule_id=one.id, act=act_in(project, now=START))

    alerting.sweep(now=minutes(1))

    assert not Rule.objects.exists()
    assert GivenRules.objects.count() == 1


def test_rules_that_ask_for_the_same_share_a_look(sessions, rule, monkeypatch):
    sessions(20, 1)
    made = [rule(threshold=0.01), rule(threshold=0.5), rule(window="1h")]
    looked = []

    class Counted(Reading):
        def __init__(self, *asked):
            super().__init__(*asked)
            looked.append(self.range)

    monkeypatch.setattr(alerting.looks, "Reading", Counted)
    looks = alerting.Looks(minutes(1))
    for one in made:
        alerting.evaluate(one.id, looks=looks)
        one.refresh_from_db()

    assert len(looked) == 2
    assert [(one.sample, one.value) for one in made] == [(20, 0.05)] * 3


def test_it_waits_then_fires_then_is_over(sessions, rule):
    sessions(20, 1)
    made = rule(window="1h", for_minutes=5)

    assert states(made, 0, 4, 5, 6) == ["pending", "pending", "firing", "firing"]
    assert states(made, 30) == ["firing"]
    # An hour later nobody is active: few sessions say nothing, also no all-clear.
    assert states(made, 90) == ["firing"]
    assert len(told()) == 1
    assert told()[0].details["value"] == 0.05
    assert told()[0].details["sample"] == 20
    assert "fires: 5.0 % of 20 sessions in 1h" in told()[0].details["summary"]


def test_it_is_over_when_the_rate_falls(sessions, rule):
    sessions(20, 1)
    made = rule(for_minutes=0)
    assert states(made, 0) == ["firing"]

    sessions(20, 0)

    assert states(made, 1, 2) == ["resolved", "resolved"]
    assert len(told()) == len(told("alert.resolved")) == 1
    sessions(10, 10)
    assert states(made, 3) == ["firing"]
    assert len(told()) == 2


def test_a_wait_that_ends_early_tells_nobody(sessions, rule):
    sessions(20, 1)
    made = rule(for_minutes=5)
    assert states(made, 0) == ["pending"]

    sessions(10, 0)

    assert states(made, 3, 10) == ["ok", "ok"]
    assert told() == []


def test_few_sessions_alarm_nobody(sessions, rule):
    sessions(19, 19)
    made = rule(for_minutes=0)

    assert states(made, 0, 10) == ["ok", "ok"]
    assert (made.value, made.sample) == (1.0, 19)


def test_a_rule_of_one_agent_looks_at_it_alone(sessions, rule):
    sessions(20, 0)
    sessions(20, 5, agent="billing")
    mine, theirs = (rule(agent=one, for_minutes=0) for one in ("travel", "billing"))

    assert (states(mine, 0), states(theirs, 0)) == (["ok"], ["firing"])
    assert told()[0].details["agent_id"] == "billing"


def change(rule, project, minute=1, **fields):
    metrics.change_rule(
        rule_id=rule.id, fields=fields, act=act_in(project, now=minutes(minute))
    )


def news():
    """What was told, in order."""
    acts = Event.objects.filter(action__startswith="alert.").order_by("id")
    return [one.action.removeprefix("alert.") for one in acts]


def test_a_silenced_rule_changes_state_and_tells_nobody(sessions, rule, project):
    sessions(20, 5)
    made = rule(for_minutes=0, email="oncall@example.com")
    change(made, project, silenced_until=minutes(60))

    assert states(made, 0) == ["firing"]
    assert news() == []
    assert mail.outbox == []


def test_what_still_fires_when_a_silence_is_over_is_told_then(sessions, rule, project):
    sessions(20, 5)
    made = rule(for_minutes=0, window="24h", email="oncall@example.com")
    change(made, project, silenced_until=minutes(10))

    assert states(made, 0, 9) == ["firing", "firing"]
    assert news() == []
    assert states(made, 10, 11) == ["firing", "firing"]
    assert news() == ["firing"]
    assert len(mail.outbox) == 1


def test_what_began_and_ended_in_a_silence_is_never_told(sessions, rule, project):
    sessions(20, 5)
    made = rule(for_minutes=0, window="24h")
    change(made, project, silenced_until=minutes(10))

    assert states(made, 0) == ["firing"]
    change(made, project, threshold=0.5)
    assert states(made, 5, 20) == ["resolved", "resolved"]
    assert news() == []


def test_the_end_of_what_was_told_is_told_after_a_silence(sessions, rule, project):
    sessions(20, 5)
    made = rule(for_minutes=0, window="24h")

    assert states(made, 0) == ["firing"]
    change(made, project, silenced_until=minutes(10), threshold=0.5)
    assert states(made, 5) == ["resolved"]
    assert news() == ["firing"]
    assert states(made, 10, 11) == ["resolved", "resolved"]
    assert news() == ["firing", "resolved"]


@pytest.mark.parametrize("ends", ["switched off", "removed"])
@pytest.mark.parametrize("silenced", [None, 60])
def test_whoever_was_told_learns_that_nobody_looks_any_more(
    sessions, rule, project, ends, silenced
):
    sessions(20, 5)
    made = rule(for_minutes=0, window="24h")
    states(made, 0)
    if silenced:
        change(made, project, silenced_until=minutes(silenced))

    if ends == "removed":
        metrics.remove_rule(rule_id=made.id, act=act_in(project, now=minutes(1)))
    else:
        change(made, project, is_active=False)
        change(made, project, is_active=False)

    assert news() == ["firing", "resolved"]
    (last,) = told("alert.resolved")
    assert last.details["state"] == "resolved"
    assert "Too many is switched off: 25.0 % of 20" in last.details["summary"]


def test_what_ended_in_a_silence_is_told_when_it_is_switched_off_before(
    sessions, rule, project
):
    sessions(20, 5)
    made = rule(for_minutes=0, window="24h")
    states(made, 0)
    change(made, project, silenced_until=minutes(60), threshold=0.5)
    assert states(made, 5) == ["resolved"]

    change(made, project, 6, is_active=False)
    change(made, project, 7, is_active=False)

    assert news() == ["firing", "resolved"]


def test_what_waits_again_when_a_silence_is_over_is_told_as_over(
    sessions, rule, project
):
    sessions(20, 5)
    made = rule(for_minutes=5, window="24h")
    states(made, 0, 5)
    change(made, project, 6, silenced_until=minutes(10), threshold=0.5)
    assert states(made, 7) == ["resolved"]
    change(made, project, 8, threshold=0.05)

    assert states(made, 9, 10) == ["pending", "pending"]

    assert news() == ["firing", "resolved"]
    assert "Too many is over: 25.0 %" in told("alert.resolved")[0].details["summary"]
    assert states(made, 14) == ["firing"]
    assert news() == ["firing", "resolved", "firing"]


def test_what_was_switched_off_while_it_fired_begins_anew(sessions, rule, project):
    sessions(20, 5)
    made = rule(for_minutes=5, window="24h")
    assert states(made, 0, 5) == ["pending", "firing"]

    change(made, project, 6, is_active=False)
    change(made, project, 6, is_active=True)

    assert states(made, 6, 11) == ["pending", "firing"]
    assert news() == ["firing", "resolved", "firing"]


def test_switching_off_what_nobody_was_told_of_tells_nobody(sessions, rule, project):
    sessions(20, 5)
    made = rule(for_minutes=0, window="24h")
    change(made, project, silenced_until=minutes(60))
    states(made, 0)

    change(made, project, is_active=False)

    assert news() == []


def test_mail_goes_to_its_address(sessions, rule):
    sessions(20, 5)
    made = rule(for_minutes=0, email="oncall@example.com")

    states(made, 0)

    (sent,) = mail.outbox
    assert sent.to == ["oncall@example.com"]
    assert sent.subject.startswith("[Stepback] Too many fires: 25.0 % of 20 sessions")


def test_it_leads_to_the_chart_and_to_the_exact_list(
    sessions, rule, project, client, settings
):
    settings.PUBLIC_URL = "https://console.example"
    sessions(20, 5)
    sessions(20, 1, agent="billing")
    made = rule(agent="travel", for_minutes=0, email="oncall@example.com")
    states(made, 0)
    # Later than the rule looked, in the same hour.
    Told(project, minutes(1)).update(minutes(2)).back(0, minutes(3))
    client.force_login(
        add_member(project, "vera"), "django.contrib.auth.backends.ModelBackend"
    )

    pages = re.findall(r"https://console\.example(/\S+)", mail.outbox[0].body)
    shown = [client.get(path) for path in pages]

    assert [one.status_code for one in shown] == [200, 200, 200]
    assert "Metrics of" in shown[0].content.decode()
    assert shown[1].content.decode().count("◆") == 5
    assert "Too many" in shown[2].content.decode()
    # The record holds paths: the host may change, and texts in it are short.
    recorded = told()[0].details
    assert [recorded[name] for name in LINKS] == pages


def test_a_test_is_told_and_changes_no_state(rule, project):
    made = rule(email="oncall@example.com")

    tried = metrics.try_rule(rule_id=made.id, act=act_in(project, now=START))

    assert tried.mail.is_over(60)
    assert tried.mail.failure == ""
    made.refresh_from_db()
    assert made.state == "ok"
    assert told()[0].details["is_test"]
    assert "Test: " in mail.outbox[0].subject


def test_webhooks_are_told(sessions, rule, project, settings):
    settings.WEBHOOKS_PRIVATE = True
    hook, _ = webhooks.create(
        url="http://127.0.0.1:9/in",
        kinds=["alert.firing"],
        act=act_in(project, now=START),
    )
    sessions(20, 5)
    states(rule(for_minutes=0), 0)

    feed_all(now=minutes(1))

    (made,) = Delivery.objects.filter(subscription_id=hook.id)
    told_so = json.loads(bytes(Message.objects.get(id=made.message_id).body))
    assert told_so["type"] == "alert.firing"
    assert told_so["data"]["summary"].startswith("Too many fires: 25.0 % of 20")
    assert {name: told_so["data"][name.replace("_path", "_url")] for name in LINKS} == {
        name: settings.PUBLIC_URL + told()[0].details[name] for name in LINKS
    }


def test_two_workers_tell_it_once(sessions, rule):
    sessions(20, 5)
    made = rule(for_minutes=0)
    barrier = threading.Barrier(4)

    def work():
        try:
            barrier.wait(20)
            alerting.sweep(now=START)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    mine = [event for event in told() if event.resource_id == made.id]
    assert len(mine) == 1
    assert Rule.objects.filter(is_built_in=True).given().count() == 5
    # One of the agent, that all of them met.
    assert Rule.objects.exclude(parent_id=None).count() == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"threshold": 0},
        {"window": "2h"},
        {"email": "nobody"},
        {"name": "a\nBcc: b@example.com"},
        {},
    ],
)
def test_what_makes_no_sense_is_refused(fields, rule, project):
    made = rule()

    with pytest.raises(Exception, match=r"takes|above|address|printable|nothing"):
        metrics.change_rule(
            rule_id=made.id, fields=fields, act=act_in(project, now=START)
        )


def test_while_writes_wait_to_be_fed_no_rule_changes_its_state(sessions, rule, project):
    sessions(20, 5)
    made = rule(for_minutes=0)
    Told(project, minutes(-3)).update(minutes(-2))

    assert alerting.sweep(now=START) == 0
    made.refresh_from_db()
    assert made.state == "ok"
    feed_all(now=START)

    assert alerting.sweep(now=START) > 0
    made.refresh_from_db()
    assert made.state == "firing"


class Failing(alerting.Looks):
    """Numbers that cannot be read, of one project."""

    of, statements = "", TOO_LONG

    def reading(self, rule, *, weeks_ago=0):
        if rule.project_id == self.of:
            self.asked.append(rule.id)
            refused(self.statements)
        return super().reading(rule, weeks_ago=weeks_ago)


@pytest.fixture
def failing(project, other_project, monkeypatch):
    """Return the looks at two projects, of which that of the first one fails."""
    Failing.of, Failing.asked = min(project.id, other_project.id), []
    monkeypatch.setattr(sweeping, "Looks", Failing)
    return Failing


@pytest.mark.parametrize("statements", [TOO_LONG, LOCKED])
def test_a_project_that_cannot_be_looked_at_holds_up_no_other(
    failing, statements, monkeypatch
):
    monkeypatch.setattr(failing, "statements", statements)

    alerting.sweep(now=START)

    rules = Rule.objects.active()
    assert not rules.filter(project_id=failing.of, evaluated_at__isnull=False)
    assert not rules.exclude(project_id=failing.of).filter(evaluated_at=None)
    # Its other rules would wait as long.
    assert len(failing.asked) == 1


def test_a_project_whose_rules_cannot_be_given_holds_up_no_other(failing, monkeypatch):
    give = sweeping.give

    def giving(project, now):
        if project.id == failing.of:
            refused(LOCKED)
        give(project, now)

    monkeypatch.setattr(sweeping, "give", giving)

    alerting.sweep(now=START)

    assert {one.project_id == failing.of for one in Rule.objects.all()} == {False}


def test_a_database_in_need_ends_the_look_at_all_projects(failing, monkeypatch):
    monkeypatch.setattr(failing, "statements", NO_ROOM)

    with pytest.raises(OperationalError):
        alerting.sweep(now=START)

    assert not Rule.objects.exclude(evaluated_at=None).exists()
