"""Each week of a project is told once: to webhooks, and by mail to who chose that."""

import smtplib
import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import InternalError, connection

from apps.accounts import operations as accounts
from apps.accounts.models import Membership, Project, Role, User
from apps.audit.models import AuditRecord, Event
from apps.core.errors import InvalidRequest
from apps.core.roles.names import Role as DatabaseRole
from apps.metrics import alerting, weekly
from apps.metrics import operations as metrics
from apps.metrics.errors import NotChosen
from apps.metrics.models import SummaryMail, SummaryReader
from apps.metrics.weekly import telling
from apps.timeline import projection
from tests.accounts.make import make_member
from tests.acting import acting_as
from tests.acts import act_by, act_in
from tests.feeding import feed_all
from tests.metrics.make import Told

pytestmark = pytest.mark.django_db

MONDAY = datetime(2026, 3, 9, tzinfo=UTC)
NEXT = MONDAY + timedelta(days=7)
MINUTE = timedelta(minutes=1)
# When the week from MONDAY on is told.
DUE = NEXT + timedelta(hours=6)


@pytest.fixture(autouse=True)
def _as_it_was(settings, project):
    settings.PUBLIC_URL = "https://console.example"
    # The project was there before the weeks of these tests.
    began(MONDAY - timedelta(days=30))


def began(at):
    with acting_as(DatabaseRole.OWNER):
        Project.objects.update(created_at=at)


def sessions(project, n, n_bad, *, at, agent="travel", release="1.8.0"):
    """Tell of sessions that were active at a moment; some were rolled back."""
    for number in range(n):
        one = Told(project, at, agent=agent, release=release)
        one.update(at, release=release)
        if number < n_bad:
            one.back(0, at)


def told(*, now=DUE):
    """Do what the worker does; return what was told of weeks, oldest first."""
    feed_all(now=now)
    del mail.outbox[:]
    weekly.sweep(now=now)
    return [one.details for one in Event.objects.filter(action="summary.weekly")]


def reads(project, name="alice", role=Role.ADMIN):
    user = make_member(project, name, role)
    membership = Membership.objects.get(project=project, user=user)
    return metrics.choose_summary(
        act=act_in(project, now=MONDAY),
        membership=membership,
        email=f"{name}@example.com",
    )


def test_a_week_is_told_beside_the_one_before(project):
    sessions(project, 40, 1, at=MONDAY - timedelta(days=2))
    sessions(project, 20, 0, at=MONDAY + timedelta(days=1), agent="refund")
    sessions(project, 20, 10, at=MONDAY + timedelta(days=2), release="1.8.1")
    # Of this week, not of the one that is told.
    sessions(project, 3, 3, at=NEXT + timedelta(hours=1))

    (week,) = told()

    assert (week["sessions"], week["rolled_back"], week["rate"]) == (40, 10, 0.25)
    assert week["before"] == {"rate": 0.025, "sessions": 40, "rolled_back": 1}
    assert week["direction"] == "risen"
    assert week["cause"] == {"agent_id": "travel", "release": "1.8.1"}
    assert week["worst_agents"] == [
        {
            "agent_id": "travel",
            "release": None,
            "rate": 0.5,
            "sessions": 20,
            "rolled_back": 10,
        }
    ]
    assert [one["release"] for one in week["worst_releases"]] == ["1.8.1"]
    assert week["new_releases"] == [
        {"agent_id": "refund", "release": "1.8.0"},
        {"agent_id": "travel", "release": "1.8.1"},
    ]
    rate, agents, releases, new, alerts = week["lines"]
    assert rate == (
        "Rollback rate: 25.0 % of 40 sessions; the week before 2.5 % of 40 sessions. "
        "It has risen, most of it at travel 1.8.1."
    )
    assert agents == "Worst agents: travel 50.0 % of 20 sessions."
    assert releases == "Worst releases: travel 1.8.1 50.0 % of 20 sessions."
    assert new == "New releases: refund 1.8.0; travel 1.8.1."
    assert alerts == "Alerts: none fired."
    assert "9 March to 15 March 2026: rollback rate 25.0 %" in week["summary"]


def test_few_sessions_are_called_few_and_none_worst(project):
    sessions(project, 3, 3, at=MONDAY)

    (week,) = told()

    rate, agents, releases, *_ = week["lines"]
    assert rate.endswith("Under 20 sessions say little.")
    assert agents == "Worst agents: no agent with 20 sessions was rolled back."
    assert releases == "Worst releases: no release with 20 sessions was rolled back."


def test_a_week_without_sessions_is_told_as_such(project):
    (week,) = told()

    assert week["rate"] is None
    assert week["lines"][0] == (
        "No session was active; no session was active the week before."
    )
    assert week["summary"].endswith("no session was active")


def test_what_fired_in_the_week_is_counted_by_name(project):
    fields = {"name": "Any", "threshold": 0.5, "for_minutes": 0, "minimum_sample": 1}
    rule = metrics.make_rule(
        act=act_in(project, now=MONDAY), fields=fields | {"window": "1h"}
    )
    for days in (-1, 1, 2, 8):
        at = MONDAY + timedelta(days=days)
        # It is over when a session goes well, but for the last time.
        for n_bad, hours in ((1, 0), (0, 5))[: 1 if days == 8 else 2]:
            then = at + timedelta(hours=hours)
            sessions(project, 1, n_bad, at=then)
            alerting.evaluate(rule.id, looks=alerting.Looks(then + MINUTE))
    metrics.try_rule(act=act_in(project, now=MONDAY + MINUTE), rule_id=rule.id)

    (week,) = told()

    # Of four times two lie in the week; a test is none.
    assert week["alerts"] == [{"name": "Any", "fired": 2}]
    assert week["lines"][-1] == "Alerts that fired: Any (2 times). 1 fires now."


@pytest.mark.parametrize("hours", [0, 5.9])
def test_a_week_waits_until_people_are_awake(project, hours):
    sessions(project, 1, 0, at=MONDAY)
    # What was told by then is the week before.
    (week,) = told(now=NEXT + timedelta(hours=hours))

    assert week["to"] == "2026-03-09T00:00:00Z"


def test_it_is_told_once_however_often_somebody_looks(project):
    sessions(project, 1, 0, at=MONDAY)
    reads(project)

    assert len(told()) == 1
    assert len(mail.outbox) == 1
    for later in (timedelta(minutes=1), timedelta(days=1), timedelta(days=6)):
        assert len(told(now=DUE + later)) == 1
        assert mail.outbox == []
    assert len(told(now=DUE + timedelta(days=7))) == 2
    assert len(mail.outbox) == 1


def test_a_worker_that_comes_back_late_tells_the_last_week_alone(project):
    sessions(project, 1, 0, at=MONDAY)
    reads(project)

    (week,) = told(now=DUE + timedelta(days=15))

    assert week["from"] == "2026-03-23T00:00:00Z"
    assert len(mail.outbox) == 1


def test_a_worker_that_is_a_day_behind_tells_nothing_before_it_has_caught_up(project):
    sessions(project, 1, 1, at=NEXT - timedelta(hours=1))
    a_day_on = DUE + timedelta(days=1)

    assert projection.measure_lag().seconds(a_day_on) > 3_600
    weekly.sweep(now=a_day_on)
    assert not Event.objects.filter(action="summary.weekly").exists()

    (week,) = told(now=a_day_on)
    assert week["rolled_back"] == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_tell_it_once(project):
    sessions(project, 2, 1, at=MONDAY)
    reads(project)
    feed_all(now=DUE)
    start = threading.Barrier(4)

    def work():
        start.wait()
        weekly.sweep(now=DUE)
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()

    assert Event.objects.filter(action="summary.weekly").count() == 1
    assert len(mail.outbox) == 1
    assert not SummaryMail.objects.exists()


def test_a_project_is_told_of_no_week_before_it_was_there(project):
    began(NEXT + timedelta(hours=1))

    assert told() == []
    assert len(told(now=DUE + timedelta(days=7))) == 1


def test_who_chose_it_has_it_by_mail_until_they_stop(project):
    sessions(project, 20, 2, at=MONDAY)
    reader = reads(project)
    reads(project, "carol", Role.VIEWER)

    told()

    assert {one.to[0] for one in mail.outbox} == {
        "alice@example.com",
        "carol@example.com",
    }
    one = mail.outbox[0]
    assert one.subject.startswith("[Stepback] ")
    assert "rollback rate 10.0 %" in one.subject
    assert "Worst agents: travel 10.0 % of 20 sessions." in one.body
    assert "https://console.example/console/" in one.body
    assert "To stop:" in one.body
    membership = Membership.objects.get(project=project, user=reader.user)
    act = act_in(project, now=DUE)
    metrics.stop_summary(act=act, membership=membership)
    told(now=DUE + timedelta(days=7))
    assert [one.to for one in mail.outbox] == [["carol@example.com"]]
    with pytest.raises(NotChosen):
        metrics.stop_summary(act=act, membership=membership)


def test_a_second_choice_changes_the_address(project):
    reads(project)
    user = SummaryReader.objects.get().user
    membership = Membership.objects.get(project=project, user=user)
    act = act_in(project, now=MONDAY)
    for _ in range(2):
        metrics.choose_summary(act=act, membership=membership, email="b@example.com")

    assert SummaryReader.objects.get().email == "b@example.com"
    # What changes nothing is no act; and no record has an address.
    records = AuditRecord.objects.filter(action="summary.chosen")
    assert records.count() == 2
    assert "example.com" not in str(list(records.values()))
    with pytest.raises(InvalidRequest):
        metrics.choose_summary(act=act, membership=membership, email="nobody")


def test_who_is_no_member_any_more_has_no_mail(project):
    reader = reads(project)
    make_member(project, "bob", Role.ADMIN)
    accounts.remove_member(user=reader.user, project=project, act=act_by())

    assert len(told()) == 1
    assert mail.outbox == []
    assert not SummaryMail.objects.exists()


def test_who_was_deactivated_has_no_mail(project):
    reader = reads(project)
    User.objects.filter(id=reader.user_id).update(is_active=False)

    assert len(told()) == 1
    assert mail.outbox == []


def test_a_project_whose_week_cannot_be_told_holds_up_no_other(
    project, other_project, monkeypatch
):
    began(MONDAY - timedelta(days=30))
    summary_of = telling.summary_of

    def failing(one, start):
        if one.id == min(project.id, other_project.id):
            raise InternalError("invalid page")
        return summary_of(one, start)

    monkeypatch.setattr(telling, "summary_of", failing)

    assert len(told()) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        smtplib.SMTPRecipientsRefused({"alice@example.com": (550, b"no mailbox")}),
        # Some take any address, and refuse what is handed over for it.
        smtplib.SMTPDataError(554, b"Message rejected: address is not verified"),
    ],
)
def test_an_address_that_is_refused_holds_up_nobody(project, monkeypatch, refusal):
    reads(project)
    reads(project, "carol", Role.VIEWER)
    first, second = SummaryReader.objects.order_by("id").values_list("email", flat=True)
    send = EmailMessage.send

    def refuse_the_first(self, fail_silently=False):
        if self.to == [first]:
            raise refusal
        return send(self)

    monkeypatch.setattr(EmailMessage, "send", refuse_the_first)
    told()

    assert [one.to for one in mail.outbox] == [[second]]
    assert SummaryMail.objects.count() == 1


def test_a_mail_server_that_takes_nothing_now_is_asked_once(project, monkeypatch):
    reads(project)
    reads(project, "carol", Role.VIEWER)
    asked = []

    def refuse(self, fail_silently=False):
        asked.append(self.to)
        raise smtplib.SMTPDataError(451, b"try again later")

    monkeypatch.setattr(EmailMessage, "send", refuse)
    told()

    assert len(asked) == 1
    assert SummaryMail.objects.count() == 2


def test_a_mail_server_that_is_away_is_tried_again_for_some_days(project, monkeypatch):
    reads(project)
    send = EmailMessage.send

    def refuse(self, fail_silently=False):
        raise smtplib.SMTPServerDisconnected("gone")

    monkeypatch.setattr(EmailMessage, "send", refuse)
    told()
    assert SummaryMail.objects.count() == 1
    monkeypatch.setattr(EmailMessage, "send", send)
    told(now=DUE + timedelta(hours=5))
    assert len(mail.outbox) == 1

    monkeypatch.setattr(EmailMessage, "send", refuse)
    told(now=DUE + timedelta(days=7))
    monkeypatch.setattr(EmailMessage, "send", send)
    told(now=DUE + timedelta(days=13))
    assert mail.outbox == []
    assert not SummaryMail.objects.exists()


def test_names_are_words_and_begin_no_header(project):
    agent = "a\r\nBcc: all@example.com " + "x" * 100
    sessions(project, 20, 20, at=MONDAY, agent=agent, release="<!channel>")
    reads(project)

    (week,) = told()

    assert all("\n" not in line and len(line) <= 400 for line in week["lines"])
    (one,) = mail.outbox
    assert "\nBcc:" not in one.message().as_string()
