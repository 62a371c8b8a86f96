"""The webhooks pages: a secret once, the log, and what administrators do about them."""

import re

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.models import AuditRecord
from apps.webhooks import operations as webhooks
from apps.webhooks.models import Delivery, Subscription
from apps.webhooks.services import signing
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import HTML, signed_in

URL = "https://receiver.example/hook?token=theirs"


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "alice", Role.ADMIN))


@pytest.fixture
def webhook(project):
    made, _ = webhooks.create(url=URL, kinds=["version.created"], act=act_in(project))
    return made


def url(name, project, *more):
    return reverse(f"console:{name}", args=[project.slug, *more])


def text(page):
    return page.content.decode()


def make(client, project, **data):
    said = {"url": URL, "events": ["turn.added", "session.created"], **data}
    return client.post(url("create_webhook", project), said)


def test_a_new_webhook_shows_its_secret_once(admin, project):
    page = make(admin, project, description="On-call")

    secret = re.search(r'id="secret"[^>]*>(whsec_[\w+/=]+)<', text(page))[1]
    made = Subscription.objects.get()
    assert page.status_code == 201
    assert page.headers["Cache-Control"] == "no-store"
    assert (made.url, made.description) == (URL, "On-call")
    assert made.kinds == ["session.created", "turn.added"]
    for name, more in (("webhooks", []), ("webhook", [made.id])):
        shown = text(admin.get(url(name, project, *more)))
        assert secret not in shown
        assert made.description in shown or name == "webhook"
    record = AuditRecord.objects.get(action="webhook.created")
    assert record.actor_label == "alice"
    assert record.details["host"] == "receiver.example"
    assert "theirs" not in str(record.details)


def test_a_form_that_is_sent_twice_makes_one_webhook(admin, project):
    keys = [key_on(admin.get(url("webhooks", project))) for _ in range(2)]

    twice = [make(admin, project, key=keys[0]) for _ in range(2)]

    made = Subscription.objects.get()
    # Whoever pressed twice sees the second answer alone.
    first, second = (
        re.findall(r'id="secret"[^>]*>([^<]+)<', text(one)) for one in twice
    )
    assert first == second
    other = make(admin, project, description="Other", key=keys[0])
    assert other.status_code == 422
    assert Subscription.objects.count() == 1
    admin.post(url("webhook_secret", project, made.id))
    later = make(admin, project, key=keys[0])
    assert later["Location"] == url("webhook", project, made.id)
    assert make(admin, project, key=keys[1]).status_code == 201
    assert Subscription.objects.count() == 2


def key_on(page):
    (found,) = re.findall(r'name="key" value="([^"]+)"', text(page))
    return found


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"url": ""}, "required"),
        ({"url": "http://receiver.example/"}, "https"),
        ({"url": "https://127.0.0.1/"}, "private"),
        ({"url": "https://a:b@receiver.example/"}, "user name"),
        ({"events": []}, "required"),
        ({"events": ["everything"]}, "not one of the available choices"),
        ({"description": "a\tb"}, "printable"),
        ({"format": "teams"}, "not one of the available choices"),
    ],
)
def test_a_webhook_that_cannot_be_is_told_why(admin, project, data, said):
    page = make(admin, project, **data)

    assert page.status_code == 422
    assert said in text(page)
    assert not Subscription.objects.exists()


def test_it_is_changed_switched_and_deleted(admin, project, webhook):
    said = {"url": "https://other.example/", "events": ["turn.added"]}
    admin.post(url("update_webhook", project, webhook.id), said)
    webhook.refresh_from_db()
    assert (webhook.url, webhook.kinds) == (said["url"], ["turn.added"])

    for verb, status in (("disable", "disabled"), ("enable", "enabled")):
        page = admin.post(url(f"{verb}_webhook", project, webhook.id))
        webhook.refresh_from_db()
        assert (page.status_code, webhook.status) == (303, status)

    admin.post(url("delete_webhook", project, webhook.id))
    assert not Subscription.objects.exists()
    acts = AuditRecord.objects.values_list("action", flat=True)
    assert {
        "webhook.updated",
        "webhook.disabled",
        "webhook.enabled",
        "webhook.deleted",
    } <= set(acts)


def test_what_another_administrator_changed_meanwhile_is_not_changed_back(
    admin, project, webhook
):
    where = url("webhook", project, webhook.id)
    stale = {"url": URL, "events": ["turn.added"], "seen": seen_on(admin.get(where))}
    stale["description"] = "Pages whoever is on call"
    theirs = stale | {"url": "https://other.example/", "description": "Theirs"}
    change = url("update_webhook", project, webhook.id)
    for _ in range(2):
        assert admin.post(change, theirs, headers=HTML)["Location"] == where

    refused = admin.post(change, stale, headers=HTML)

    assert refused.status_code == 303
    page = admin.get(refused["Location"])
    assert "Somebody has changed this webhook since you looked" in text(page)
    assert "What you had typed" in text(page)
    assert stale["description"] in text(page)
    webhook.refresh_from_db()
    assert webhook.url == theirs["url"]
    again = admin.post(change, stale | {"seen": seen_on(page)}, headers=HTML)
    assert again["Location"] == where
    webhook.refresh_from_db()
    assert webhook.url == URL


def seen_on(page):
    (found,) = re.findall(r'name="seen" value="([^"]+)"', text(page))
    return found


def test_it_can_speak_to_slack(admin, project):
    make(admin, project, format="slack")

    made = Subscription.objects.get()
    assert made.format == "slack"
    where = url("webhook", project, made.id)
    assert "Slack: a sentence with links" in text(admin.get(where))
    # A form that says nothing of it changes nothing of it.
    said = {"url": URL, "events": ["turn.added"]}
    admin.post(url("update_webhook", project, made.id), said)
    made.refresh_from_db()
    assert made.format == "slack"
    admin.post(url("update_webhook", project, made.id), said | {"format": "stepback"})
    made.refresh_from_db()
    assert made.format == "stepback"


def test_a_test_stands_in_the_log_and_can_be_tried_now(admin, project, webhook):
    admin.post(url("test_webhook", project, webhook.id))

    sent = Delivery.objects.get()
    page = text(admin.get(url("webhook", project, webhook.id)))
    assert sent.message_id in page
    assert "pending" in page
    page = admin.post(url("resend_delivery", project, webhook.id, sent.id))
    assert page.status_code == 303
    nothing = text(admin.get(url("webhook", project, webhook.id), {"status": "failed"}))
    assert "No delivery of the last 30 days has this status" in nothing


def test_another_secret_that_is_asked_for_twice_is_one(admin, project, webhook):
    page = text(admin.get(url("webhook", project, webhook.id)))
    (key,) = re.findall(r'name="key" value="([^"]*-secret)"', page)
    before = signing.secret_of(webhook)

    twice = [
        text(admin.post(url("webhook_secret", project, webhook.id), {"key": key}))
        for _ in range(2)
    ]

    found = [re.search(r'id="secret"[^>]*>([^<]+)<', one)[1] for one in twice]
    assert found[0] == found[1] != before
    webhook.refresh_from_db()
    assert signing.secret_from(webhook.id, webhook.old_salt) == before
    # Once it has had another one, the first is shown no more.
    admin.post(url("webhook_secret", project, webhook.id), {"key": "another"})
    again = admin.post(url("webhook_secret", project, webhook.id), {"key": key})
    assert again["Location"] == url("webhook", project, webhook.id)


def test_another_secret_is_shown_once(admin, project, webhook):
    page = text(admin.post(url("webhook_secret", project, webhook.id)))

    secret = re.search(r'id="secret"[^>]*>(whsec_[\w+/=]+)<', page)[1]
    assert secret not in text(admin.get(url("webhook", project, webhook.id)))


def test_nothing_is_sent_to_one_that_is_off(admin, project, webhook):
    admin.post(url("disable_webhook", project, webhook.id))

    page = admin.post(
        url("test_webhook", project, webhook.id), headers={"Accept": "text/html"}
    )

    assert page.status_code == 409
    assert "switched off" in text(page)
    assert not Delivery.objects.exists()


@pytest.mark.parametrize("name", ["webhook", "test_webhook", "delete_webhook"])
def test_another_projects_webhook_is_unknown(
    admin, project, other_project, webhook, name
):
    Subscription.objects.update(project=other_project)
    where = url(name, project, webhook.id)

    answer = admin.get(where) if name == "webhook" else admin.post(where)

    assert answer.status_code == 404
    assert Subscription.objects.exists()
