"""Members who watch a session or an agent are told by mail, once, and stop at will."""

import re
import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.models import Role, User
from apps.agents.models import Agent
from apps.audit.models import AuditRecord
from apps.core.roles.names import Role as DatabaseRole
from apps.timeline import operations as timeline
from apps.watching import mailing
from apps.watching.models import Notice, Watch
from tests.accounts.make import make_member
from tests.acting import acting_as
from tests.acts import act_by, act_in
from tests.console.make import HTML, Story, address, signed_in
from tests.feeding import feed_all

pytestmark = pytest.mark.django_db
TO = {"email": "carol@example.com"}
LOST = {"dates": None}


@pytest.fixture(autouse=True)
def public_url(settings):
    settings.PUBLIC_URL = "https://console.example"


@pytest.fixture
def carol(project):
    return make_member(project, "carol", Role.VIEWER)


@pytest.fixture
def viewer(client, carol):
    return signed_in(client, carol)


@pytest.fixture
def story(project):
    return Story(project, now=timezone.now())


def agent_url(project, name):
    agent = Agent.objects.get(project=project)
    return reverse(f"console:{name}", args=[project.slug, agent.id])


def sent(*, now=None):
    """Do what the worker does, and return what it has sent."""
    del mail.outbox[:]
    feed_all()
    mailing.send(now=now or timezone.now())
    return mail.outbox


def test_a_watched_session_mails_rollbacks_holds_and_losses(viewer, project, story):
    answer = viewer.post(address(project, story.id, "watch"), TO)
    story.update({"n": 1}).update(LOST).rollback(1).pause()

    (one,) = sent()

    assert answer.status_code == 302
    assert one.to == ["carol@example.com"]
    assert one.subject == "[Stepback] 3 things happened in what you watch"
    assert f"v2 of {story.id} looks wrong, written by sb_7f3a" in one.body
    assert f"olga rolled {story.id} back (v3)" in one.body
    assert f"olga held {story.id} (v4)" in one.body
    assert "v1 of" not in one.body
    links = re.findall(r"https://console\.example(/\S+)", one.body)
    assert [viewer.get(link).status_code for link in links] == [200] * 4
    assert sent() == []
    assert not Notice.objects.exists()


def test_a_watched_agent_mails_of_each_of_its_sessions(viewer, project, story):
    viewer.post(agent_url(project, "watch_agent"), TO)
    other = Story(project, agent="refunds", now=timezone.now())
    second = Story(project, now=timezone.now())
    for one in (story, other, second):
        one.update({"n": 1}).pause()

    (one,) = sent()

    assert story.id in one.body
    assert second.id in one.body
    assert other.id not in one.body


def test_one_happening_is_the_subject(viewer, project, story):
    viewer.post(address(project, story.id, "watch"), TO)
    story.pause()

    (one,) = sent()

    assert one.subject == f"[Stepback] olga held {story.id} (v1)"


def test_each_member_has_a_watch_of_their_own(client, viewer, project, story):
    viewer.post(address(project, story.id, "watch"), TO)
    signed_in(client, make_member(project, "vera", Role.VIEWER))
    client.post(address(project, story.id, "watch"), {"email": "vera@example.com"})
    story.pause()

    assert {one.to[0] for one in sent()} == {"carol@example.com", "vera@example.com"}


def test_what_was_before_it_is_not_told(viewer, project):
    story = Story(project, now=timezone.now() - timedelta(hours=1)).update(LOST)
    viewer.post(address(project, story.id, "watch"), TO)

    assert sent() == []


def test_watching_again_changes_the_address(viewer, project, story):
    for email in ("a@example.com", "b@example.com", "b@example.com"):
        viewer.post(address(project, story.id, "watch"), {"email": email})

    assert Watch.objects.get().email == "b@example.com"
    assert AuditRecord.objects.filter(action="watch.begun").count() == 2
    record = AuditRecord.objects.filter(action="watch.begun").first()
    assert record.details == {"session": story.id}


def test_stopping_drops_what_waits(viewer, project, story):
    viewer.post(address(project, story.id, "watch"), TO)
    story.pause()
    feed_all()
    assert Notice.objects.count() == 1

    page = viewer.post(address(project, story.id, "unwatch"), follow=True)

    assert "You watch it no more." in page.content.decode()
    assert sent() == []
    assert AuditRecord.objects.filter(action="watch.ended").count() == 1


def test_the_page_says_that_it_is_watched(viewer, project, story):
    before = viewer.get(address(project, story.id)).content.decode()
    viewer.post(address(project, story.id, "watch"), TO)
    after = viewer.get(address(project, story.id)).content.decode()
    agent = viewer.get(agent_url(project, "agent_detail")).content.decode()

    assert "Watch this session" in before
    assert "Stop watching" not in before
    assert "You watch this session" in after
    assert 'value="carol@example.com"' in after
    assert "Watch this agent" in agent


def test_stopping_what_is_not_watched_is_not_found(viewer, project, story):
    where = address(project, story.id, "unwatch")

    assert viewer.post(where).status_code == 404


@pytest.mark.parametrize(
    "email", ["", "x", "a@b\nBcc: c@d.example", "x" * 300 + "@a.b"]
)
def test_what_is_no_address_is_refused(viewer, project, story, email):
    where = address(project, story.id, "watch")

    answer = viewer.post(where, {"email": email}, headers=HTML)

    assert answer.status_code == 400
    assert "Nothing was done:" in answer.content.decode()
    assert not Watch.objects.exists()


def test_strangers_and_other_methods(client, viewer, project, other_project, story):
    for name in ("watch", "unwatch"):
        assert viewer.get(address(project, story.id, name)).status_code == 405
    where = [address(project, story.id, "watch"), agent_url(project, "watch_agent")]
    unknown = address(project, f"sess_{'0' * 26}", "watch")
    assert viewer.post(unknown, TO).status_code == 404
    signed_in(client, make_member(other_project, "mallory", Role.ADMIN))
    assert [client.post(one, TO).status_code for one in where] == [404, 404]
    client.logout()
    assert {client.post(one, TO).status_code for one in where} <= {302, 401, 403}
    assert not Watch.objects.exists()


def test_who_has_left_the_project_is_told_nothing(viewer, carol, project, story):
    viewer.post(address(project, story.id, "watch"), TO)
    story.pause()
    accounts.remove_member(act=act_by(), project=project, user=carol)

    assert sent() == []
    assert not Notice.objects.exists()


def test_who_was_deactivated_is_told_nothing(viewer, carol, project, story):
    viewer.post(address(project, story.id, "watch"), TO)
    story.pause()
    User.objects.filter(id=carol.id).update(is_active=False)

    assert sent() == []
    assert not Notice.objects.exists()


@pytest.mark.parametrize(
    "failure",
    [
        smtplib.SMTPServerDisconnected("gone"),
        smtplib.SMTPDataError(451, b"try again later"),
    ],
)
def test_a_mail_server_that_is_down_is_tried_again(
    client, viewer, project, story, monkeypatch, failure
):
    viewer.post(address(project, story.id, "watch"), TO)
    dave = signed_in(client, make_member(project, "dave", Role.VIEWER))
    dave.post(address(project, story.id, "watch"), {"email": "dave@example.com"})
    story.pause()
    asked = []

    def refusing(message):
        asked.append(message.to)
        raise failure

    with monkeypatch.context() as down:
        down.setattr(mailing.EmailMessage, "send", refusing)
        assert sent() == []
        # The others would only wait for it, too.
        assert len(asked) == 1

    assert len(sent()) == 2


GONE = "gone@example.com"
NO_MAILBOX = smtplib.SMTPRecipientsRefused({GONE: (550, b"no such mailbox")})


def refusing_mail_to(address, refusal=NO_MAILBOX):
    """Be a mail server that takes none for this address, and all others."""
    send = mailing.EmailMessage.send

    def sending(message):
        if address in message.to:
            raise refusal
        return send(message)

    return sending


@pytest.mark.parametrize(
    "refusal",
    [
        NO_MAILBOX,
        # Some take any address, and refuse what is handed over for it.
        smtplib.SMTPDataError(554, b"Message rejected: address is not verified"),
    ],
)
def test_an_address_that_is_refused_holds_up_nobody(
    client, viewer, project, story, monkeypatch, refusal
):
    monkeypatch.setattr(mailing, "AT_ONCE", 1)
    viewer.post(address(project, story.id, "watch"), {"email": GONE})
    dave = signed_in(client, make_member(project, "dave", Role.VIEWER))
    dave.post(address(project, story.id, "watch"), {"email": "dave@example.com"})
    story.pause()
    refused = refusing_mail_to(GONE, refusal)

    with monkeypatch.context() as server:
        server.setattr(mailing.EmailMessage, "send", refused)
        assert [one.to for one in sent()] == [["dave@example.com"]]
        # Somebody may clear the mailbox yet.
        assert Notice.objects.count() == 1

    assert [one.to for one in sent()] == [[GONE]]


def test_what_is_refused_for_a_day_is_dropped(viewer, project, story, monkeypatch):
    viewer.post(address(project, story.id, "watch"), TO)
    story.update(LOST)
    feed_all()
    with acting_as(DatabaseRole.WORKER):
        Notice.objects.update(at=timezone.now() - timedelta(days=2))
    story.pause()
    refused = refusing_mail_to(TO["email"])

    with monkeypatch.context() as server:
        server.setattr(mailing.EmailMessage, "send", refused)
        assert sent() == []

    assert Notice.objects.count() == 1


def test_what_waited_for_a_day_is_dropped(viewer, project, story):
    viewer.post(address(project, story.id, "watch"), TO)
    story.pause()

    assert sent(now=timezone.now() + timedelta(days=2)) == []
    assert not Notice.objects.exists()


def test_names_cannot_forge_a_header(viewer, project, story):
    viewer.post(address(project, story.id, "watch"), TO)
    story.pause()
    feed_all()
    with acting_as(DatabaseRole.WORKER):
        Notice.objects.update(actor_label="x\nBcc: all@example.com")

    (one,) = sent()

    assert one.message()["Bcc"] is None
    assert "\n" not in one.subject


def test_many_things_are_counted(viewer, project, story):
    viewer.post(address(project, story.id, "watch"), TO)
    for n in range(25):
        story.update({"dates": {"n": n}}).update(LOST)

    (one,) = sent()

    assert one.subject.startswith("[Stepback] 25 things")
    assert "and 5 more" in one.body


def test_a_member_watches_only_so_much(viewer, project, story, monkeypatch):
    monkeypatch.setattr("apps.watching.operations.MOST_WATCHES", 1)
    viewer.post(address(project, story.id, "watch"), TO)
    other = Story(project, now=timezone.now())

    answer = viewer.post(address(project, other.id, "watch"), TO, headers=HTML)

    assert answer.status_code == 400
    assert "already" in answer.content.decode()


def test_an_escalated_session_is_told_without_what_its_state_says(
    viewer, project, story
):
    viewer.post(address(project, story.id, "watch"), TO)
    story.update({"escalated": True, "why": "card 4471 was refused"})
    feed_all()

    (one,) = sent()

    assert one.subject == (
        f"[Stepback] {story.id} was escalated: people are to look (v1)"
    )
    assert f"/{story.id}/versions/1" in one.body
    assert "4471" not in one.subject + one.body
    assert sent() == []


def test_calls_that_fail_again_are_told_to_who_watches_the_agent(
    viewer, project, story
):
    viewer.post(agent_url(project, "watch_agent"), TO)
    act = act_in(project, now=timezone.now())
    for number in range(3):
        begun = timeline.begin_effect(
            act=act,
            session_id=story.id,
            effect=timeline.NewEffect(key=str(number), tool="pay_4471", arguments={}),
        )
        timeline.finish_effect(
            act=act,
            session_id=story.id,
            effect_id=begun.effect.id,
            attempt=1,
            finish=timeline.Finish(status="failed"),
        )

    (one,) = sent()

    assert f"{story.id} was escalated: people are to look (v0)" in one.body
    assert "4471" not in one.subject + one.body
