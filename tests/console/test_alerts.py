"""The alerts pages: where rules stand, for all; what administrators do about them."""

import re
import smtplib
import socket
import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.audit.models import AuditRecord, Event
from apps.console.views.administration import alerts
from apps.metrics import alerting, mailing
from apps.metrics import operations as metrics
from apps.metrics.models import Rule
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import HTML, signed_in
from tests.console.test_webhooks import key_on, seen_on, text, url
from tests.metrics.make import Told

pytestmark = pytest.mark.django_db

SAID = {
    "name": "Many rollbacks",
    "metric": "rollback_rate",
    "threshold": "7.5",
    "window": "1h",
    "minimum_sample": "2",
    "for_minutes": "0",
    "agent": "",
    "email": "oncall@example.com",
}


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "alice", Role.ADMIN))


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "carol", Role.VIEWER))


@pytest.fixture
def rule(project):
    fields = {"name": "Too <many>", "threshold": 0.05, "for_minutes": 0}
    fields |= {"minimum_sample": 2, "email": "oncall@example.com"}
    return metrics.make_rule(fields=fields, act=act_in(project))


@pytest.fixture
def fires(project, rule):
    """Of two sessions one was rolled back, twice; the rule has seen it."""
    now = timezone.now() - timedelta(seconds=1)
    bad = Told(project, now, agent="<travel>").update(now)
    bad.back(0, now).update(now).back(0, now)
    Told(project, now, agent="billing").update(now)
    alerting.sweep(now=timezone.now())
    rule.refresh_from_db()
    assert rule.state == "firing"
    return bad


def post(client, act, project, /, *more, status=303, **data):
    answer = client.post(url(act, project, *more), data, headers=HTML)
    assert answer.status_code == status, text(answer)
    return answer


def test_a_viewer_sees_where_rules_stand_and_no_forms(viewer, project, rule, fires):
    page = text(viewer.get(url("alerts", project)))

    assert re.search(r"▲</span> firing", page)
    assert "50.0 %" in page
    assert "Too &lt;many&gt;" in page
    # What fires stands first, before the guide's rules, which came later.
    names = re.findall(r'rowheader"><a [^>]*><strong>([^<]*)<', page)
    assert names[0] == "Too &lt;many&gt;"
    assert len(names) == 4
    assert "1 of 4 rules is firing" in page
    for shown in (page, text(viewer.get(url("alert", project, rule.id)))):
        forms = shown.partition("<main")[2].partition("</main>")[0]
        # What is the reader's own they may ask for.
        asked = set(re.findall(r'<form[^>]*action="([^"]*)"', forms))
        assert asked <= {url("choose_summary", project)}
        assert "oncall@example.com" not in shown


@pytest.mark.parametrize(
    ("place", "begins", "ends"),
    [
        ("project", 'aria-labelledby="firing"', "</section>"),
        ("metrics", "Firing:", "</p>"),
    ],
)
def test_what_fires_is_said_where_people_look_first(
    viewer, project, rule, fires, place, begins, ends
):
    page = text(viewer.get(url(place, project)))

    notice = page.partition(begins)[2].partition(ends)[0]
    assert f'href="{url("alert", project, rule.id)}"' in notice
    assert "Too &lt;many&gt;" in notice
    assert "50.0 % of 2 sessions" in notice
    metrics.remove_rule(rule_id=rule.id, act=act_in(project))
    assert begins not in text(viewer.get(url(place, project)))


@pytest.mark.parametrize("place", ["project", "metrics"])
def test_what_fires_of_one_release_is_named(viewer, project, rule, fires, place):
    agent = Agent.objects.get(external_id="<travel>")
    told = {"agent_id": agent.id, "release": "1.8.1", "parent_id": rule.id}
    Rule.objects.filter(id=rule.id).update(**told)

    page = text(viewer.get(url(place, project)))

    assert "&lt;travel&gt; 1.8.1: Too &lt;many&gt;" in page
    assert "since" not in page.partition('class="card needs"')[2].partition("</div>")[0]


def test_a_rule_that_looked_at_few_sessions_says_so(viewer, project, rule):
    Told(project, timezone.now()).update(timezone.now()).back(0, timezone.now())
    alerting.sweep(now=timezone.now())

    assert "1 session: too few to say" in text(viewer.get(url("alerts", project)))
    page = text(viewer.get(url("alert", project, rule.id)))
    assert "of 1 session, too few" in page
    assert "since" not in page.partition("<main")[2].partition("</main>")[0]


def test_its_number_leads_to_the_chart_and_to_the_exact_sessions(
    viewer, project, rule, fires
):
    page = text(viewer.get(url("alert", project, rule.id)))
    chart, behind = re.findall(r'<a href="([^"]*metrics[^"]*\?from=[^"]*)"', page)
    # What happens later is no part of the number.
    Told(project, timezone.now()).update(timezone.now()).back(0, timezone.now())

    shown = text(viewer.get(behind.replace("&amp;", "&")))

    assert set(re.findall(r"sessions/(sess_\w+)", shown)) == {fires.id}
    assert shown.count("◆") == 2
    assert "Rollback rate over time" in text(viewer.get(chart.replace("&amp;", "&")))


def test_what_fires_stands_on_the_page_of_metrics(viewer, project, rule, fires):
    page = text(viewer.get(url("metrics", project)))

    assert "Firing:" in page
    assert url("alert", project, rule.id) in page
    Rule.objects.update(is_active=False)
    assert "Firing:" not in text(viewer.get(url("metrics", project)))


def test_a_rule_is_made(admin, project):
    post(admin, "create_alert", project, **SAID)

    made = Rule.objects.get(name="Many rollbacks")
    assert made.threshold == 0.075
    assert (made.window, made.minimum_sample, made.for_minutes) == ("1h", 2, 0)
    assert made.agent_id is None
    record = AuditRecord.objects.get(action="rule.created")
    assert record.actor_label == "alice"
    assert 'value="7.5"' in text(admin.get(url("alert", project, made.id)))


def test_a_form_that_is_sent_twice_makes_one_rule(admin, project):
    shown = post(admin, "preview_alert", project, status=200, **SAID)
    keys = [key_on(shown), key_on(admin.get(url("new_alert", project)))]

    twice = [post(admin, "create_alert", project, **SAID, key=keys[0]) for _ in "ab"]

    made = Rule.objects.get(name="Many rollbacks")
    assert {one["Location"] for one in twice} == {url("alert", project, made.id)}
    post(admin, "create_alert", project, **SAID, key=keys[1])
    assert Rule.objects.filter(name="Many rollbacks").count() == 2


def test_a_rule_can_be_of_one_agent(admin, project):
    Told(project, timezone.now(), agent=" <travel>")

    post(admin, "create_alert", project, **SAID | {"agent": " <travel>"})

    made = Rule.objects.get(name="Many rollbacks")
    assert made.agent_id == Agent.objects.get(external_id=" <travel>").id
    assert "&lt;travel&gt;" in text(admin.get(url("alerts", project)))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"name": ""}, "required"),
        ({"threshold": "0"}, "greater than or equal"),
        ({"threshold": "nan"}, "Enter a number"),
        ({"threshold": "20000"}, "threshold is above 0"),
        ({"window": "2h"}, "not one of the available choices"),
        ({"email": "nobody"}, "one address"),
        ({"agent": "nobody"}, "no such agent"),
        ({"minimum_sample": "0"}, "greater than or equal"),
    ],
)
@pytest.mark.parametrize("verb", ["create", "update"])
def test_a_rule_that_cannot_be_is_told_why(admin, project, rule, verb, data, said):
    more = [rule.id] if verb == "update" else []
    before = Rule.objects.values().get()

    page = post(admin, f"{verb}_alert", project, *more, status=422, **SAID | data)

    assert said in text(page)
    # What was typed is still there.
    assert 'value="oncall@example.com"' in text(page) or "email" in data
    assert Rule.objects.values().get() == before


def test_a_rule_is_changed_switched_and_deleted(admin, project, rule):
    post(admin, "update_alert", project, rule.id, **SAID)
    rule.refresh_from_db()
    assert (rule.name, rule.threshold) == ("Many rollbacks", 0.075)

    for verb, is_active in (("disable", False), ("enable", True)):
        post(admin, f"{verb}_alert", project, rule.id)
        rule.refresh_from_db()
        assert rule.is_active == is_active

    post(admin, "delete_alert", project, rule.id, status=302)
    assert not Rule.objects.exists()


def test_what_another_administrator_changed_meanwhile_is_not_changed_back(
    admin, project, rule
):
    where = url("alert", project, rule.id)
    stale = SAID | {"seen": seen_on(admin.get(where))}
    for _ in range(2):
        theirs = post(admin, "update_alert", project, rule.id, **stale | {"name": "A"})
        assert theirs["Location"] == where
    # Switched and silenced, it is what its form shows all the same.
    post(admin, "disable_alert", project, rule.id)
    post(admin, "silence_alert", project, rule.id, hours="1")
    tried = post(admin, "preview_alert_change", project, rule.id, status=200, **stale)
    assert seen_on(tried) == stale["seen"]

    refused = post(admin, "update_alert", project, rule.id, **stale)

    page = admin.get(refused["Location"])
    assert "Somebody has changed this alert rule since you looked" in text(page)
    rule.refresh_from_db()
    assert rule.name == "A"
    again = stale | {"seen": seen_on(page)}
    assert post(admin, "update_alert", project, rule.id, **again)["Location"] == where
    rule.refresh_from_db()
    assert rule.name == SAID["name"]


def test_who_waited_when_it_was_off_waits_anew(admin, project, rule):
    Rule.objects.update(state="pending", since=timezone.now() - timedelta(days=1))

    post(admin, "disable_alert", project, rule.id)
    post(admin, "enable_alert", project, rule.id)

    rule.refresh_from_db()
    assert rule.state == "ok"


@pytest.mark.parametrize("hours", ["1", "8", "24"])
def test_it_is_silenced_for_hours_and_told_again(admin, project, rule, hours):
    post(admin, "silence_alert", project, rule.id, hours=hours)

    rule.refresh_from_db()
    left = rule.silenced_until - timezone.now()
    assert timedelta() < timedelta(hours=int(hours)) - left < timedelta(minutes=5)
    page = text(admin.get(url("alert", project, rule.id)))
    assert "Silenced until" in page
    post(admin, "silence_alert", project, rule.id, hours="0")
    rule.refresh_from_db()
    assert rule.silenced_until is None


def test_it_is_silenced_until_a_moment(admin, project, rule):
    day = timezone.now().date() + timedelta(days=2)

    post(admin, "silence_alert", project, rule.id, until=f"{day}T12:00")

    rule.refresh_from_db()
    assert rule.silenced_until == datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "Choose hours"),
        ({"hours": "1", "until": "2099-01-01"}, "Choose hours"),
        ({"hours": "2"}, "not one of"),
        ({"until": "soon"}, "A date or a time"),
        ({"until": "2001-01-01"}, "A moment to come"),
        ({"until": "2999-01-01"}, "A moment to come"),
    ],
)
def test_a_silence_that_cannot_be_is_told_why(admin, project, rule, data, said):
    page = post(admin, "silence_alert", project, rule.id, status=422, **data)

    assert said in text(page)
    rule.refresh_from_db()
    assert rule.silenced_until is None


@pytest.mark.django_db(transaction=True)
def test_a_test_is_told_as_one(admin, project, rule):
    post(admin, "test_alert", project, rule.id)

    assert Event.objects.get(action="alert.firing").details["is_test"]
    (sent,) = mail.outbox
    assert sent.subject.startswith("[Stepback] Test: Too <many>")
    rule.refresh_from_db()
    assert rule.state == "ok"
    page = text(admin.get(url("alert", project, rule.id)))
    assert "on its way to the webhooks of alert.firing" in page
    assert "The mail server has taken the mail" in page


@pytest.fixture
def mail_server(settings):
    """A mail server that takes whoever comes, and says nothing until it is closed."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        settings.EMAIL_HOST, settings.EMAIL_PORT = listening.getsockname()
        settings.EMAIL_TIMEOUT = 600
        yield listening
    for thread in threading.enumerate():
        if thread.name == "mail":
            thread.join(60)
            assert not thread.is_alive()


@pytest.mark.django_db(transaction=True)
def test_a_mail_server_that_says_nothing_holds_no_page(
    admin, project, rule, mail_server, monkeypatch
):
    monkeypatch.setattr(alerts, "MAIL_SECONDS", 0.2)

    post(admin, "test_alert", project, rule.id)
    accepted, _ = mail_server.accept()

    with accepted:
        page = text(admin.get(url("alert", project, rule.id)))
        assert "has not answered within 0.2 seconds" in page
        assert "on its way to the webhooks of alert.firing" in page


@pytest.mark.django_db(transaction=True)
def test_so_many_wait_for_the_mail_server_and_no_more(
    admin, project, rule, mail_server, monkeypatch
):
    monkeypatch.setattr(alerts, "MAIL_SECONDS", 0.2)
    for _ in range(mailing.AT_ONCE):
        post(admin, "test_alert", project, rule.id)
    # Messages of pages that nobody looked at.
    admin.get(url("alert", project, rule.id))

    post(admin, "test_alert", project, rule.id)

    page = text(admin.get(url("alert", project, rule.id)))
    assert "not sent: others are still waiting for the mail server" in page
    for _ in range(mailing.AT_ONCE):
        mail_server.accept()[0].close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (
            smtplib.SMTPRecipientsRefused({"x": (550, b"<b>No such\nuser</b>")}),
            "&lt;b&gt;No such",
        ),
        (ConnectionRefusedError(111, "Connection refused"), "Connection refused"),
        (TimeoutError("timed out"), "the mail server did not answer"),
        (ValueError("secret"), "see the log"),
    ],
)
def test_a_mail_that_is_not_sent_says_why(
    admin, project, rule, monkeypatch, failure, said
):
    def refuse(self, fail_silently=False):
        raise failure

    monkeypatch.setattr(EmailMessage, "send", refuse)

    post(admin, "test_alert", project, rule.id)

    page = admin.get(url("alert", project, rule.id)).content.decode()
    assert "The mail was not sent: " in page
    assert said in page
    assert "secret" not in page


def test_a_rule_that_was_removed_says_when_and_by_whom(admin, project, rule):
    post(admin, "delete_alert", project, rule.id, status=302)
    olga = signed_in(Client(), make_member(project, "olga", Role.VIEWER))

    for reader in (admin, olga):
        answer = reader.get(url("alert", project, rule.id), headers=HTML)
        assert answer.status_code == 410
        page = answer.content.decode()
        assert "Too &lt;many&gt;" in page
        assert "by alice" in text(answer)
        assert "<time" in page
    log = re.search(r'href="([^"]*/audit\?resource=[^"]*)"', page)[1]
    assert "alice" in text(admin.get(log))
    # What there is to do about a rule is as gone as it was.
    assert admin.post(url("update_alert", project, rule.id), SAID).status_code == 404


def test_a_removed_rule_is_nothing_to_strangers(admin, project, other_project, rule):
    post(admin, "delete_alert", project, rule.id, status=302)
    stranger = signed_in(Client(), make_member(other_project, "sam", Role.ADMIN))

    assert stranger.get(url("alert", project, rule.id)).status_code == 404
    assert stranger.get(url("alert", other_project, rule.id)).status_code == 404
    assert admin.get(url("alert", project, "rule_never")).status_code == 404
    assert Client().get(url("alert", project, rule.id)).status_code == 302


@pytest.mark.parametrize(
    "name", ["alert", "update_alert", "silence_alert", "test_alert", "delete_alert"]
)
def test_another_projects_rule_is_unknown(admin, project, other_project, rule, name):
    Rule.objects.update(project_id=other_project.id)
    where = url(name, project, rule.id)

    answer = admin.get(where) if name == "alert" else admin.post(where, SAID)

    assert answer.status_code == 404
    assert Rule.objects.filter(name="Too <many>", silenced_until=None).exists()
