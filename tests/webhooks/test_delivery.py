"""What happens is told to whoever subscribed: once it works, in order, signed."""

import pytest

from apps.webhooks.models import Delivery, Lane
from tests.timeline.runs import begin
from tests.webhooks.receiver import assert_in_order

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
