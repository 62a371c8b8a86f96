"""Webhooks over REST: the secret once, a lost answer, and what is refused."""

import pytest

from apps.accounts.models import StoredAnswer
from apps.webhooks.models import Subscription

pytestmark = pytest.mark.django_db

SAID = {"url": "https://receiver.example/", "events": ["version.created"]}


@pytest.fixture
def admin(api, make_key):
    return api(make_key(scope="admin"))


def test_the_secret_is_in_the_answer_that_made_it_alone(admin) -> None:
    made = admin.post("/v1/webhooks", SAID).body

    assert made["secret"].startswith(made["secret_prefix"])
    assert len(made["secret"]) == len("whsec_") + 44
    for path in ("/v1/webhooks", f"/v1/webhooks/{made['id']}"):
        assert made["secret"] not in admin.get(path).content.decode()


def test_who_lost_the_answer_gets_the_same_and_nothing_keeps_the_secret(admin) -> None:
    first, again = (
        admin.post("/v1/webhooks", SAID, Idempotency_Key="k") for _ in range(2)
    )

    assert first.content == again.content
    assert Subscription.objects.count() == 1
    (kept,) = StoredAnswer.objects.all()
    assert first.body["secret"].encode() not in bytes(kept.body)


def test_a_repeated_answer_does_not_tell_a_later_secret(admin) -> None:
    first = admin.post("/v1/webhooks", SAID, Idempotency_Key="k").body
    admin.post(f"/v1/webhooks/{first['id']}/secret")

    again = admin.post("/v1/webhooks", SAID, Idempotency_Key="k").body

    assert again["secret"] is None


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({"url": "https://10.0.0.1/"}, "url"),
        ({"url": "http://receiver.example/"}, "url"),
        ({"url": None}, "url"),
        ({"url": 7}, "url"),
        ({"events": ["version.made"]}, "events"),
        ({"events": []}, "events"),
        ({"description": "a\nb"}, "description"),
        ({"format": "teams"}, "format"),
    ],
)
def test_what_cannot_be_is_refused(admin, said, param) -> None:
    answer = admin.post("/v1/webhooks", SAID | said)

    assert (answer.status, answer.param) == (400, param)
    assert not Subscription.objects.exists()


def test_its_format_is_chosen_and_changed(admin) -> None:
    plain = admin.post("/v1/webhooks", SAID | {"format": None}).body
    made = admin.post("/v1/webhooks", SAID | {"format": "slack"}).body
    path = f"/v1/webhooks/{made['id']}"
    untouched = admin.patch(path, {"description": "Later"}).body
    changed = admin.patch(path, {"format": "stepback"}).body
    listed = admin.get("/v1/webhooks").body["data"]

    assert (plain["format"], made["format"]) == ("stepback", "slack")
    assert (untouched["format"], changed["format"]) == ("slack", "stepback")
    assert [one["format"] for one in listed] == ["stepback", "stepback"]


def test_it_is_switched_by_a_patch(admin) -> None:
    path = f"/v1/webhooks/{admin.post('/v1/webhooks', SAID).body['id']}"

    off = admin.patch(path, {"enabled": False, "description": "Later"}).body
    refused = admin.post(f"{path}/test")
    on = admin.patch(path, {"enabled": True}).body

    assert (off["status"], off["description"]) == ("disabled", "Later")
    assert (refused.status, refused.code) == (409, "webhook_disabled")
    assert on["status"] == "enabled"
    assert admin.patch(path, {}).status == 400


def test_a_key_that_only_writes_manages_nothing(api) -> None:
    answer = api().post("/v1/webhooks", SAID)

    assert (answer.status, answer.code) == (403, "permission_denied")
