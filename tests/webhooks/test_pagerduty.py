"""What PagerDuty is told: events of a rule open, take on and close an incident."""

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.core.errors import InvalidRequest
from apps.core.outbound.addresses import target_of
from apps.metrics import alerting
from apps.metrics import operations as metrics
from apps.metrics.models import Rule
from apps.webhooks import operations as webhooks
from apps.webhooks.models import Delivery
from apps.webhooks.services import pagerduty
from tests.acts import act_in
from tests.contracts.world import add_member
from tests.metrics.make import Told
from tests.timeline.runs import begin

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "R0123456789abcdefghijABCDEFGHIJK"
KINDS = ("alert.firing", "alert.acknowledged", "alert.resolved")


@pytest.fixture(autouse=True)
def address(settings):
    settings.PUBLIC_URL = "https://console.example"


@pytest.fixture
def hook(project, receiver):
    made, _ = webhooks.create(
        act=act_in(project),
        url=f"{receiver.url}?routing_key={KEY}",
        kinds=KINDS,
        format="pagerduty",
    )
    return made


@pytest.fixture
def rule(project):
    now = timezone.now()
    Told(project, now, agent="<travel>").update(now).back(0, now)
    fields = {"name": "Too many", "threshold": 0.1, "minimum_sample": 1}
    return metrics.make_rule(fields=fields | {"for_minutes": 0}, act=act_in(project))


def look(rule):
    alerting.evaluate(rule.id, looks=alerting.Looks(timezone.now()))


def test_an_incident_is_opened_taken_on_and_closed(
    project, hook, rule, receiver, sweep
):
    add_member(project, "dana", Role.OPERATOR)
    look(rule)
    metrics.acknowledge_rule(act=act_in(project), rule_id=rule.id, owner="dana")
    Rule.objects.filter(id=rule.id).update(threshold=2.0)
    look(rule)
    sweep()

    bodies = [one.body for one in receiver.seen]
    assert [one["event_action"] for one in bodies] == [
        "trigger",
        "acknowledge",
        "resolve",
    ]
    assert {one["dedup_key"] for one in bodies} == {rule.id}
    assert {one["routing_key"] for one in bodies} == {KEY}
    opened = bodies[0]["payload"]
    assert opened["summary"].startswith("Too many fires: 100.0 % of 1 session")
    assert opened["severity"] == "critical"
    assert opened["custom_details"]["value"] == 1.0
    assert bodies[0]["client_url"].startswith("https://console.example/console/")
    assert [one["text"] for one in bodies[0]["links"]] == [
        "Chart",
        "Sessions behind it",
        "Rule",
    ]


def test_a_test_is_an_incident_of_its_own(project, hook, rule, receiver, sweep):
    metrics.try_rule(act=act_in(project), rule_id=rule.id)
    webhooks.test(act=act_in(project), webhook_id=hook.id)
    sweep()

    bodies = [one.body for one in receiver.seen]
    assert {one["event_action"] for one in bodies} == {"trigger"}
    assert {one["payload"]["severity"] for one in bodies} == {"info"}
    assert rule.id not in {one["dedup_key"] for one in bodies}
    assert len({one["dedup_key"] for one in bodies}) == 2


def test_the_key_is_sent_in_the_body_alone():
    url = f"https://events.pagerduty.com/v2/enqueue?routing_key={KEY}"

    target = pagerduty.without_key(target_of(url, into_the_house=False))

    assert (target.host, target.path) == ("events.pagerduty.com", "/v2/enqueue")
    assert pagerduty.routing_key(url) == KEY


@pytest.mark.parametrize(
    ("url", "kinds", "param"),
    [
        ("https://events.example/v2/enqueue", KINDS, "url"),
        ("https://events.example/v2/enqueue?routing_key=short", KINDS, "url"),
        (f"https://events.example/?routing_key={KEY}", ("turn.added",), "events"),
    ],
)
def test_what_pagerduty_cannot_take_is_refused(project, url, kinds, param):
    with pytest.raises(InvalidRequest) as refused:
        webhooks.create(act=act_in(project), url=url, kinds=kinds, format="pagerduty")

    assert refused.value.param == param


def test_a_webhook_does_not_become_what_it_cannot_be(project, receiver):
    made, _ = webhooks.create(
        act=act_in(project), url=receiver.url, kinds=["turn.added"]
    )

    with pytest.raises(InvalidRequest):
        webhooks.update(act=act_in(project), webhook_id=made.id, format="pagerduty")

    made.refresh_from_db()
    assert made.format == "stepback"


def test_what_waited_in_another_form_is_given_up_at_once(
    api, project, receiver, subscribe, sweep
):
    hook, _ = subscribe("session.created")
    begin(api(), {})
    receiver.answer = lambda _: 500
    sweep()
    receiver.answer = lambda _: 202
    webhooks.update(
        act=act_in(project),
        webhook_id=hook.id,
        url=f"{receiver.url}?routing_key={KEY}",
        kinds=KINDS,
        format="pagerduty",
    )

    sweep()

    sent = Delivery.objects.get()
    assert (sent.status, sent.error) == ("failed", "PagerDuty is told of alerts alone.")
    hook.refresh_from_db()
    assert (hook.failures, hook.failing_since) == (0, None)
    assert len(receiver.seen) == 1
