"""What is asked and said is for who decides: no log, mail, event or webhook has it."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from apps.accounts.access import actor_of
from apps.accounts.models import Membership, User
from apps.approvals.operations import sweep
from apps.audit.models import AuditRecord, Event
from apps.core.actors import SYSTEM
from apps.timeline.models import Version
from apps.watching import mailing
from apps.watching import operations as watching
from apps.watching.models import Subject
from apps.webhooks import operations as webhooks
from apps.webhooks.kinds import KINDS
from apps.webhooks.models import Message
from apps.webhooks.services.slack import message
from tests.acts import act_by, act_in
from tests.approvals.make import asked, voted
from tests.feeding import feed_all
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db
CANARY = "canary7f3a91"
ASKED = {
    "arguments": {"amount": 5, "to": CANARY},
    "reason": CANARY,
    "key": CANARY,
    "schema": {"title": CANARY},
    "depends_on": [f"/{CANARY}"],
}


@pytest.fixture
def told(run: Run, project: Any, olga: User, dana: User) -> list[bytes]:
    """What webhooks are sent of approvals that were asked, voted, decided, expired."""
    webhooks.create(
        url="https://receiver.example/hook", kinds=list(KINDS), act=act_in(project)
    )
    watching.watch(
        membership=Membership.objects.get(project=project, user=olga),
        subject=Subject.SESSION,
        subject_id=run.id,
        email="olga@example.com",
        act=act_by(actor_of(olga)),
    )
    both = asked(run, votes=2, **ASKED)
    said = {"comment": CANARY, "arguments": {"amount": 6, "to": CANARY}}
    voted(project, olga, both["id"], **said)
    voted(project, dana, both["id"], **said)
    asked(run, ttl_seconds=60, on_expiry="escalate", **ASKED | {"key": "other"})
    for minutes in (1.5, 3):
        later = timezone.now() + timezone.timedelta(minutes=minutes)
        sweep(actor=SYSTEM, now=later)
    feed_all()
    return [bytes(one.body) for one in Message.objects.all()]


def test_events_records_and_webhooks_name_the_tool_alone(
    told: list[bytes], run: Run
) -> None:
    kinds = {Message.objects.get(body=one).kind for one in told}
    assert kinds >= {
        "approval.requested",
        "approval.voted",
        "approval.decided",
        "approval.escalated",
        "session.escalated",
    }
    assert not [one for one in told if CANARY.encode() in one]
    assert not [one for one in Event.objects.all() if CANARY in str(one.details)]
    records = AuditRecord.objects.all()
    assert not [one for one in records if CANARY in str(one.details)]
    assert any(b"issue_refund" in one for one in told)


def test_slack_links_into_the_console(told: list[bytes], project: Any) -> None:
    sentences = [message(one, project.slug).decode() for one in told]

    assert not [one for one in sentences if CANARY in one]
    about = [one for one in sentences if "asks for an approval" in one]
    assert about
    assert all(f"/{project.slug}/" in one for one in about)


def test_mail_and_logs_have_nothing_of_it(
    told: list[bytes], caplog: pytest.LogCaptureFixture, run: Run
) -> None:
    mailing.send(now=timezone.now())

    (sent,) = mail.outbox
    assert "asks for an approval in" in sent.body
    assert CANARY not in sent.subject + sent.body
    assert CANARY not in caplog.text


def test_the_versions_themselves_have_nothing_of_it(
    told: list[bytes], run: Run
) -> None:
    versions = Version.objects.filter(session_id=run.id, op__in=("wait", "decide"))

    assert versions.count() == 4
    assert not [one for one in versions.values() if CANARY in str(one)]
