"""What happens is told to whoever subscribed: once it works, in order, signed."""

import threading
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from apps.audit.models import AuditRecord
from apps.webhooks import operations as webhooks
from apps.webhooks.delivery import delivering
from apps.webhooks.models import Delivery, Lane, Message, Subscription
from tests.acts import act_in
from tests.audit.rows.looking import found
from tests.feeding import feed_all
from tests.timeline.runs import begin
from tests.webhooks.receiver import Received, Receiver, assert_in_order

pytestmark = pytest.mark.django_db(transaction=True)


def test_every_act_on_a_session_is_told(api, receiver, subscribe, sweep) -> None:
    _, secret = subscribe(
        "session.created", "session.rolled_back", "version.created", "turn.added"
    )
    run = begin(api(), {"city": "Rome"})
    run.patch({"city": None}, reasoning="Lost it.")
    run.turn("Hi", "Hello", state_after={"city": "Bonn"})
    run.rollback(0, reason="wrong city")

    sweep()

    assert [(one.kind, one.number) for one in receiver.seen] == [
        ("session.created", 0),
        ("version.created", 0),
        ("version.created", 1),
        ("version.created", 2),
        ("turn.added", 2),
        ("session.rolled_back", 3),
        ("version.created", 3),
    ]
    assert len({one.id for one in receiver.seen}) == 7
    assert all(one.is_signed_with(secret) for one in receiver.seen)
    assert_in_order(receiver.seen)
    assert not Lane.objects.exists()
    assert set(Delivery.objects.values_list("status", flat=True)) == {"delivered"}


def test_reviews_and_scores_are_told(api, receiver, subscribe, sweep) -> None:
    subscribe("session.reviewed", "session.scored")
    run = begin(api(), {"city": "Rome"})
    for why in ("No refund.", None):
        body = {"outcome": "failed", "why": why}
        assert run.client.put(run.path("review"), body).status == 200
    score = {"name": "reward", "value": 1e300}
    assert run.client.put(run.path("score"), score).status == 200

    sweep()

    first, second, scored = (one.body["data"] for one in receiver.seen)
    assert [one.kind for one in receiver.seen] == [
        *("session.reviewed", "session.reviewed", "session.scored")
    ]
    assert (first["object"], first["session_id"]) == ("session", run.id)
    assert (first["outcome"], first["why"]) == ("failed", "No refund.")
    assert (second["outcome"], second["why"]) == ("failed", None)
    assert (scored["score"], scored["value"]) == ("reward", 1e300)
    assert scored["updated_at"] == run.get()["updated_at"]


def test_a_failing_session_holds_back_itself_alone(
    api, receiver, subscribe, sweep
) -> None:
    subscribe()
    client = api()
    bad, good = begin(client, {}), begin(client, {})
    receiver.answer = lambda one: 500 if one.stream == bad.id else 200
    for run in (bad, good):
        run.patch({"a": 1})
    sweep()

    assert {one.number for one in receiver.accepted()} == {0, 1}
    assert {one.stream for one in receiver.accepted()} == {good.id}
    # Its next message waits for the one that failed.
    assert {one.number for one in receiver.seen if one.stream == bad.id} == {0}
    receiver.answer = lambda _: 200
    sweep()
    assert len(receiver.accepted()) == 4
    assert_in_order(receiver.accepted())


def test_another_webhook_does_not_wait_for_one_that_is_down(
    api, receiver, subscribe, sweep
) -> None:
    away = Receiver()
    webhook, _ = subscribe(to=away)
    subscribe()
    begin(api(), {}).patch({"a": 1})
    sweep()

    assert [one.number for one in receiver.seen] == [0, 1]
    log = Delivery.objects.of_subscription(webhook.id).order_by("ordinal")
    assert [(one.status, one.attempts) for one in log] == [
        ("pending", 1),
        ("pending", 0),
    ]
    assert log[0].error == "The host refused the connection."


def test_a_receiver_that_answers_too_late_is_told_again_and_then_goes_on(
    api, receiver, subscribe, sweep, monkeypatch
) -> None:
    subscribe()
    monkeypatch.setattr(delivering, "SECONDS", 0.3)
    go_on = threading.Event()

    def late(_: Received) -> int:
        go_on.wait(60)
        return 200

    receiver.answer = late
    run = begin(api(), {})
    run.patch({"a": 1})
    sweep()

    # Nobody knows that it was taken in; what comes after it waits.
    log = Delivery.objects.order_by("ordinal")
    assert [(one.status, one.attempts) for one in log] == [
        ("pending", 1),
        ("pending", 0),
    ]
    assert log[0].error == "No answer within 0.3 seconds."
    receiver.answer = lambda _: 200
    go_on.set()
    monkeypatch.setattr(delivering, "SECONDS", 10.0)
    sweep()

    assert [one.number for one in receiver.accepted()] == [0, 1]
    told = [(one.id, one.number) for one in receiver.seen]
    assert len(set(told)) == 2
    assert {one.status for one in log.all()} == {"delivered"}
    assert not Lane.objects.exists()


def test_who_asks_for_time_is_given_it_for_all_sessions(
    api, receiver, subscribe, sweep
) -> None:
    webhook, _ = subscribe()
    receiver.headers["Retry-After"] = "120"
    receiver.answer = lambda _: 429
    client = api()
    begin(client, {})
    sweep()
    begin(client, {})
    delivering.deliver(now=timezone.now())

    assert len(receiver.seen) == 1
    rest = Subscription.objects.get(id=webhook.id).resting_until - timezone.now()
    assert timedelta(seconds=100) < rest <= timedelta(seconds=120)
    receiver.answer = lambda _: 200
    sweep()
    assert len(receiver.accepted()) == 2


def test_a_success_under_way_does_not_end_the_time_that_was_asked_for(
    api, receiver, subscribe, sweep
) -> None:
    webhook, _ = subscribe()
    receiver.headers["Retry-After"] = "120"
    client = api()
    bad = begin(client, {})
    begin(client, {})
    receiver.answer = lambda one: 503 if one.stream == bad.id else 200
    sweep()

    assert len(receiver.accepted()) == 1
    rest = Subscription.objects.get(id=webhook.id).resting_until - timezone.now()
    assert timedelta(seconds=100) < rest


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("30", 30.0),
        ("Tue, 10 Mar 2026 12:00:45 GMT", 45.0),
        ("Tue, 10 Mar 2026 11:00:00 GMT", 0.0),
        ("Tue, 10 Mar 2026 12:00:45 -0000", 0.0),
        ("99999999999999999999", 3600.0),
        ("Tue, 10 Mar 9999 12:00:45 GMT", 3600.0),
        ("-5", 0.0),
        ("soon", 0.0),
        ("", 0.0),
    ],
)
def test_when_to_come_again_is_told_in_two_ways(said: str, seconds: float) -> None:
    now = datetime(2026, 3, 10, 12, tzinfo=UTC)

    assert delivering.seconds_until(said, now=now) == seconds


def test_a_redirect_is_not_followed(api, receiver, subscribe, sweep) -> None:
    subscribe()
    receiver.answer = lambda _: 302
    begin(api(), {})
    sweep()

    assert len(receiver.seen) == 1
    assert "leads elsewhere" in Delivery.objects.get().error


def test_an_address_inside_is_not_called_once_that_is_forbidden(
    api, receiver, subscribe, sweep, settings
) -> None:
    subscribe()
    settings.WEBHOOKS_PRIVATE = False
    begin(api(), {})
    sweep()

    assert receiver.seen == []
    assert "https" in Delivery.objects.get().error


def test_what_was_sent_can_be_sent_again_under_its_id(
    api, receiver, subscribe, sweep, project
) -> None:
    webhook, _ = subscribe()
    begin(api(), {})
    sweep()
    sent = Delivery.objects.get()

    for _ in range(2):
        webhooks.resend(act=act_in(project), webhook_id=webhook.id, delivery_id=sent.id)
        sweep()

    assert len(receiver.seen) == 3
    assert len({(one.id, one.content) for one in receiver.seen}) == 1


def test_days_of_failure_switch_it_off_and_what_waits_is_kept(
    api, receiver, subscribe, sweep, project
) -> None:
    webhook, _ = subscribe()
    receiver.answer = lambda _: 500
    begin(api(), {})
    sweep()
    long_ago = timezone.now() - timedelta(days=3, minutes=1)
    Subscription.objects.update(failing_since=long_ago)
    Delivery.objects.update(first_failed_at=long_ago)
    sweep()
    sweep()

    webhook.refresh_from_db()
    assert webhook.status == "failing"
    recorded = AuditRecord.objects.get(action="webhook.disabled")
    assert (recorded.actor_kind, recorded.resource_id) == ("system", webhook.id)
    assert found(project) == []
    assert Delivery.objects.get().status == "pending"
    receiver.answer = lambda _: 200
    told = {"act": act_in(project), "webhook_id": webhook.id}
    webhooks.enable(**told)
    sweep()
    assert Delivery.objects.get().status == "delivered"


def test_days_without_a_worker_are_no_days_of_failure(
    api, receiver, subscribe, sweep
) -> None:
    webhook, _ = subscribe()
    begin(api(), {})
    receiver.answer = lambda _: 500
    sweep()
    # It failed often; then nobody sent anything for days.
    long_ago = timezone.now() - timedelta(days=4)
    Subscription.objects.update(failures=9, failing_since=long_ago, failed_at=long_ago)
    Delivery.objects.update(first_failed_at=long_ago, attempted_at=long_ago)
    began = timezone.now()

    for _ in range(2):
        sweep()

    webhook.refresh_from_db()
    assert (webhook.status, webhook.failures) == ("enabled", 2)
    assert webhook.failing_since >= began
    assert webhook.resting_until is None
    assert Delivery.objects.get().first_failed_at >= began
    receiver.answer = lambda _: 200
    sweep()
    assert Delivery.objects.get().status == "delivered"


def test_a_message_that_failed_before_a_long_pause_is_tried_on(
    api, receiver, subscribe, sweep
) -> None:
    subscribe()
    client = api()
    bad, good = begin(client, {}), begin(client, {})
    receiver.answer = lambda one: 500 if one.stream == bad.id else 200
    sweep()
    long_ago = timezone.now() - timedelta(days=4)
    waiting = Delivery.objects.filter(status="pending")
    waiting.update(first_failed_at=long_ago, attempted_at=long_ago)
    good.patch({"a": 1})

    sweep()

    assert waiting.count() == 1


def test_what_fails_for_days_while_others_succeed_is_given_up(
    api, receiver, subscribe, sweep
) -> None:
    subscribe()
    client = api()
    bad, good = begin(client, {}), begin(client, {})
    bad.patch({"a": 1})
    receiver.answer = lambda one: (
        500 if (one.stream, one.number) == (bad.id, 0) else 200
    )
    sweep()
    long_ago = timezone.now() - timedelta(days=3, minutes=1)
    Delivery.objects.filter(status="pending").update(first_failed_at=long_ago)
    good.patch({"a": 1})
    sweep()

    accepted = {(one.stream, one.number) for one in receiver.accepted()}
    assert accepted == {(good.id, 0), (good.id, 1), (bad.id, 1)}
    assert Delivery.objects.get(status="failed").attempts == 2


def test_after_another_secret_both_sign(
    api, receiver, subscribe, sweep, project
) -> None:
    webhook, old = subscribe()
    told = {"act": act_in(project), "webhook_id": webhook.id}
    _, new = webhooks.change_secret(**told)
    begin(api(), {})
    sweep()

    (one,) = receiver.seen
    assert one.is_signed_with(new)
    assert len(one.headers["webhook-signature"].split()) == 2
    assert old != new
    kept = [str(row) for row in Subscription.objects.values_list()]
    assert old not in str(kept)
    assert new not in str(kept)


def test_another_key_of_the_installation_is_told_as_such(
    api, receiver, subscribe, sweep, settings
) -> None:
    subscribe()
    settings.SECRET_KEY = "another"
    begin(api(), {})
    sweep()

    assert receiver.seen == []
    assert "make another secret" in Delivery.objects.get().error


def test_what_is_sent_holds_no_state(api, receiver, subscribe, sweep) -> None:
    subscribe("session.created", "version.created", "turn.added", "session.rolled_back")
    run = begin(api(), {"plan": "hidden-1"})
    run.patch({"plan": "hidden-2"})
    run.turn("hidden-3", "hidden-4", state_after={"plan": "hidden-5"})
    run.rollback(0)
    sweep()

    assert len(receiver.seen) == 7
    assert not [one for one in receiver.seen if b"hidden" in one.content]


def test_another_project_is_not_told(
    api, make_key, other_project, receiver, subscribe, sweep
) -> None:
    subscribe()
    begin(api(make_key(project=other_project)), {})
    sweep()

    assert receiver.seen == []
    assert not Delivery.objects.exists()


def test_what_was_before_it_and_while_it_is_off_is_not_told(
    api, receiver, subscribe, sweep, project
) -> None:
    client = api()
    run = begin(client, {})
    webhook, _ = subscribe()
    run.patch({"a": 1})
    sweep()
    webhooks.disable(act=act_in(project), webhook_id=webhook.id)
    run.patch({"a": 2})
    sweep()
    webhooks.enable(act=act_in(project), webhook_id=webhook.id)
    run.patch({"a": 3})
    sweep()

    assert [one.number for one in receiver.seen] == [1, 3]


def test_a_transaction_that_somebody_forgot_holds_up_nothing(
    api, receiver, subscribe, sweep
) -> None:
    subscribe()
    client = api()
    with psycopg.connect(**connection.get_connection_params()) as other:
        # Somebody's transaction began before, and is not over.
        other.execute("SELECT pg_current_xact_id()")
        run = begin(client, {})
        run.patch({"a": 1})
        sweep()

        assert [one.number for one in receiver.seen] == [0, 1]


def test_of_a_deleted_webhook_no_message_is_left_after_its_time(
    api, project, subscribe
) -> None:
    deleted, _ = subscribe("version.created")
    subscribe("turn.added")
    run = begin(api(), {"city": "Rome"})
    run.turn("Hi", "Hello", state_after={"city": "Bonn"})
    feed_all()
    webhooks.delete(act=act_in(project), webhook_id=deleted.id)
    kinds = Message.objects.order_by("kind").values_list("kind", flat=True)
    now = timezone.now()

    delivering.forget(now=now)
    assert list(kinds.all()) == ["turn.added", "version.created", "version.created"]

    delivering.forget(now=now + delivering.KEPT + timedelta(minutes=1))
    # The other webhook still has to be told.
    assert list(kinds.all()) == ["turn.added"]
