"""What Slack is told: a sentence with links, signed as all is, and never a state."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.core import json
from apps.core.roles.names import Role
from apps.metrics import alerting, weekly
from apps.metrics import operations as metrics
from apps.webhooks import operations as webhooks
from apps.webhooks.kinds import KINDS, TEST
from apps.webhooks.services import slack
from tests.acting import acting_as
from tests.acts import act_in
from tests.contracts.world import add_member
from tests.feeding import feed_all
from tests.metrics.make import Told
from tests.timeline.runs import begin

pytestmark = pytest.mark.django_db(transaction=True)

EVIL = "<!channel> & <https://evil.example|click> *b*\n> \u202e"
LINK = re.compile(r"<(https://console\.example[^|>]*)\|([^>]*)>")


@pytest.fixture(autouse=True)
def address(settings):
    settings.PUBLIC_URL = "https://console.example"


@pytest.fixture
def slack_hook(project, receiver):
    def make(*kinds, format="slack"):
        return webhooks.create(
            act=act_in(project), url=receiver.url, kinds=kinds, format=format
        )

    return make


def words(received):
    """Return what is read, links as their words."""
    return LINK.sub(r"\2", received.body["text"])


def assert_slack_takes_it(body):
    assert set(body) == {"text", "blocks"}
    assert 0 < len(body["text"]) <= 4_000
    assert 0 < len(body["blocks"]) <= 50
    for block in body["blocks"]:
        for text in block.get("elements", [block.get("text")]):
            assert text["type"] == "mrkdwn"
            assert text["verbatim"] is True
            assert 0 < len(text["text"]) <= 3_000
            rest = LINK.sub("", text["text"])
            assert not re.search(r"[<>]|&(?!amp;|lt;|gt;)", rest)


def test_a_session_is_told_in_sentences_with_links(
    api, receiver, slack_hook, sweep, project, client
) -> None:
    _, secret = slack_hook(*(kind for kind in KINDS if not kind.startswith("alert.")))
    run = begin(api(), {"secret": "not-for-slack"}, agent_id="travel")
    run.patch({"secret": None}, reasoning="Lost it.")
    run.rollback(0, reason="wrong city")

    sweep()

    said = [words(one) for one in receiver.seen]
    assert said[0] == f"travel began {run.id}."
    assert re.fullmatch(
        rf"\S+ rolled {run.id} of travel back to v0\.\nReason: wrong city", said[3]
    )
    assert len(said) == 5
    for one in receiver.seen:
        assert_slack_takes_it(one.body)
        assert one.is_signed_with(secret)
        assert b"not-for-slack" not in one.content
        assert one.headers["webhook-id"] in one.content.decode()
    # The links lead to the version that it is about.
    client.force_login(
        add_member(project, "vera"), "django.contrib.auth.backends.ModelBackend"
    )
    ((where, _),) = LINK.findall(receiver.seen[3].body["text"])
    page = client.get(where.removeprefix("https://console.example"))
    assert page.status_code == 200
    assert "wrong city" in page.content.decode()


def test_reviews_and_scores_are_told_in_sentences(
    api, receiver, slack_hook, sweep
) -> None:
    slack_hook("session.reviewed", "session.scored")
    run = begin(api(), {}, agent_id="travel")
    body = {"outcome": "failed", "why": "<!channel> no refund"}
    run.client.put(run.path("review"), body)
    run.client.put(run.path("score"), {"name": "a", "value": 0.25})

    sweep()

    reviewed, scored = (words(one) for one in receiver.seen)
    assert re.fullmatch(
        rf"\S+ reviewed {run.id} of travel: failed\.\n"
        r"Reason: &lt;!channel&gt; no refund",
        reviewed,
    )
    assert re.fullmatch(rf"\S+ scored {run.id} of travel: a is 0\.25\.", scored)


def test_a_week_is_told_line_by_line(receiver, slack_hook, sweep, project) -> None:
    slack_hook("summary.weekly")
    now = timezone.now()
    with acting_as(Role.OWNER):
        type(project).objects.update(created_at=now - timedelta(days=30))
    start = weekly.week_before(now)
    for _ in range(20):
        name = EVIL.partition("\n")[0]
        Told(project, start, agent=name).update(start).back(0, start)
    feed_all()

    weekly.sweep(now=now)
    sweep()

    (one,) = receiver.seen
    assert_slack_takes_it(one.body)
    first, *lines = words(one).split("\n")
    assert first.startswith("*Checkout, ")
    assert lines[0].startswith("Rollback rate: 100.0 % of 20 sessions; no session was")
    assert lines[1].startswith("Worst agents: &lt;!channel&gt; &amp; &lt;https")
    assert [label for _, label in LINK.findall(one.body["text"])] == ["Chart", "Alerts"]


def test_an_alert_leads_to_the_chart_and_the_sessions(
    receiver, slack_hook, sweep, project
) -> None:
    slack_hook("alert.firing", "alert.resolved")
    now = timezone.now()
    Told(project, now, agent="travel").update(now).back(0, now)
    fields = {
        "name": EVIL.partition("\n")[0],
        "threshold": 0.05,
        "for_minutes": 0,
        "minimum_sample": 1,
    }
    rule = metrics.make_rule(act=act_in(project, now=now), fields=fields)

    alerting.evaluate(rule.id, looks=alerting.Looks(timezone.now()))
    sweep()

    (one,) = receiver.seen
    assert_slack_takes_it(one.body)
    assert "100.0 % of 1 session in" in words(one)
    assert "&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;" in words(one)
    assert [label for _, label in LINK.findall(one.body["text"])] == [
        "Chart",
        "Sessions behind it",
        "Rule",
    ]


def test_two_webhooks_are_told_the_same_in_two_forms(
    api, receiver, slack_hook, sweep
) -> None:
    slack_hook("session.created")
    slack_hook("session.created", format="stepback")
    begin(api(), {})

    sweep()

    forms = {frozenset(one.body) for one in receiver.seen}
    assert forms == {
        frozenset({"text", "blocks"}),
        frozenset({"id", "type", "created_at", "data"}),
    }
    assert len({one.headers["webhook-id"] for one in receiver.seen}) == 1


def test_a_test_and_a_resend_come_in_this_form_too(
    receiver, slack_hook, sweep, project
) -> None:
    hook, _ = slack_hook("turn.added")
    about = {"act": act_in(project), "webhook_id": hook.id}

    sent = webhooks.test(**about)
    sweep()
    webhooks.resend(delivery_id=sent.id, **about)
    sweep()

    first, second = receiver.seen
    assert words(first) == "A test of this webhook."
    assert first.content == second.content


def test_there_is_a_sentence_for_every_kind() -> None:
    assert set(slack.SENTENCES) == {*KINDS, TEST}


@pytest.mark.parametrize("kind", [*KINDS, TEST])
def test_the_worst_words_break_no_limit(kind) -> None:
    number = 10**17
    data = dict.fromkeys(
        ("agent_id", "reason", "reasoning", "summary", "user_id"),
        ("<&\u202e" * 2_000),
    )
    data |= {"session_id": "sess_" + "0" * 26, "id": "hook_" + "0" * 26}
    data |= {"version": number, "restored_version": number}
    data |= {"forked_from": "sess_" + "1" * 26, "forked_version": number}
    data |= {"actor": {"label": EVIL * 300}}
    if kind.startswith("alert."):
        # No host's name is longer than 253.
        address = "https://console.example/" + "x" * 400 + "?from=a&to=b&agent=c"
        data |= dict.fromkeys(("dashboard_url", "sessions_url", "rule_url"), address)
    if kind == "summary.weekly":
        address = "https://console.example/" + "x" * 400
        data |= dict.fromkeys(("dashboard_url", "alerts_url"), address)
        data |= {"reason": None, "reasoning": None}
        data["lines"] = ["&" * 2_000, *[data["summary"]] * 4]
    told = {"id": "evt_1", "type": kind, "created_at": "2026-01-01T00:00:00.000000Z"}

    body = slack.message(json.dumps(told | {"data": data}), "a" * 50)

    assert_slack_takes_it(json.parse_written(body))


@pytest.mark.parametrize("kind", [*KINDS, TEST])
def test_what_an_event_does_not_know_is_left_out(kind) -> None:
    known = {"id": "hook_" + "0" * 26, "session_id": "sess_" + "0" * 26}
    told = {"id": "evt_1", "type": kind, "created_at": None, "data": known}

    body = slack.message(json.dumps(told), "checkout")

    assert_slack_takes_it(json.parse_written(body))
