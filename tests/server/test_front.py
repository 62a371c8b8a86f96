"""The front: who is heard, who waits where, and what is left of a request."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from typing import Any
from weakref import ref

import pytest

from apps.core.errors import Busy, PayloadTooLarge
from apps.core.processes.served import CAME_AT
from apps.server.front import asgi as module
from apps.server.front.asgi import UNKNOWN_BYTES, Front
from apps.server.front.bodies import (
    HURRIED_SECONDS,
    START_SECONDS,
    SWEEP_SECONDS,
    RequestTimeout,
)
from apps.server.front.departures import PIECE
from apps.server.front.pools import WAITING, Pool
from tests.server.asking import (
    LARGEST,
    LONG,
    READ,
    SECONDS,
    Application,
    Asked,
    Taken,
    Visitors,
)
from tests.server.running import Pending, Run, Sender, scope


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Keep the collector away: what is left lives on."""
    gc.disable()
    yield
    gc.enable()


def test_django_is_called_with_the_whole_body(
    front: Front, application: Application
) -> None:
    asked = Asked(front, READ, "known", length=4)
    asked.sender.sends(b"ab")
    assert not application.asked
    asked.sender.sends(b"cd")

    assert asked.status == 200
    assert application.bodies == [b"abcd"]
    assert application.asked[0]["CONTENT_LENGTH"] == "4"
    assert CAME_AT in application.asked[0]
    assert [message.get("body") for message in asked.messages] == [None, b"answer"]


def test_chunks_have_a_length_once_they_came(
    front: Front, application: Application
) -> None:
    made = scope((b"transfer-encoding", b"chunked"), (b"x-api-key", b"known"))
    sender = Sender()
    run = Run(front(made, sender, lambda _: Taken()))
    sender.sends(b"abc")
    sender.sends(b"", more=False)

    assert run.ended.wait(SECONDS)
    assert application.asked[-1]["CONTENT_LENGTH"] == "3"
    assert "HTTP_TRANSFER_ENCODING" not in application.asked[-1]


@pytest.mark.parametrize("key", ["", "made-up"])
def test_nothing_is_received_from_the_api_without_a_key_that_holds(
    front: Front, application: Application, key: str
) -> None:
    asked = Asked(front, READ, key, length=1000)

    assert asked.status == 200
    assert asked.sender.asked == 0
    assert application.bodies == [None]


def test_a_key_is_looked_up_when_it_is_not_known(
    front: Front, visitors: Visitors
) -> None:
    asked = Asked(front, READ, "findable", length=1)
    while not asked.sender.asked:
        time.sleep(0.001)
    asked.sender.sends(b"x")

    assert asked.status == 200
    assert visitors.looked_up == ["findable"]
    assert Asked(front, READ, "known").status == 200
    assert visitors.looked_up == ["findable"]


def test_who_turns_out_to_be_somebody_after_all_is_told_to_retry(
    front: Front, application: Application
) -> None:
    """As when the key was made, or the database came back, while it was looked up."""
    asked = Asked(front, READ, "made-up", length=1000)
    assert asked.status == 200

    with pytest.raises(Busy):
        application.asked[0]["wsgi.input"].read()


def test_a_form_is_received_from_anybody_up_to_a_size(
    front: Front, application: Application
) -> None:
    asked = Asked(front, "/signin", length=4)
    asked.sender.sends(b"form")
    assert asked.status == 200
    assert application.bodies == [b"form"]

    large = Asked(front, "/signin", length=UNKNOWN_BYTES + 1)

    assert large.status == 200
    assert isinstance(application.refused, PayloadTooLarge)
    assert large.sender.asked == 0


def test_what_is_refused_is_answered_by_django(
    front: Front, application: Application
) -> None:
    asked = Asked(front, READ, "known", length=10)

    front._bodies.sweep(10.0**9)

    assert asked.status == 200
    assert isinstance(application.refused, RequestTimeout)
    assert application.bodies == [b""]


def test_a_length_that_is_no_number_is_refused(
    front: Front, application: Application
) -> None:
    made = scope((b"content-length", b"+1"), (b"x-api-key", b"known"))

    run = Run(front(made, Sender(), lambda _: Taken()))

    assert run.ended.wait(SECONDS)
    assert application.refused.param == "Content-Length"


def test_those_who_are_known_do_not_wait_for_those_who_are_not(
    front: Front, application: Application
) -> None:
    held = [Asked(front, LONG, key) for key in ["made-up", "", "other"] * 10]

    known = Asked(front, READ, "known")
    live, ready = Asked(front, "/health/live"), Asked(front, "/health/ready")

    assert {known.status, live.status, ready.status} == {200}
    assert not any(asked.run.is_over for asked in held)


def test_liveness_waits_for_nobody(front: Front) -> None:
    held = [Asked(front, LONG, key) for key in ["known", ""] * 20]

    # A body is nothing that a probe has.
    live = Asked(front, "/health/live", "known", length=10)

    assert live.status == 200
    assert live.sender.asked == 0
    assert not any(asked.run.is_over for asked in held)


def test_when_too_many_wait_the_next_is_told_to_retry(
    front: Front, application: Application
) -> None:
    held = [Asked(front, LONG, "known") for _ in range(8)]
    while len(application.asked) < len(held):
        time.sleep(0.001)
    held += [Asked(front, LONG, "known") for _ in range(WAITING)]

    refused = Asked(front, READ, "known")

    assert refused.status == 200
    assert isinstance(application.refused, Busy)
    assert not any(asked.run.is_over for asked in held)


def test_when_even_those_who_say_no_have_too_much_to_do_it_is_said_at_once(
    front: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise Busy

    monkeypatch.setattr(Pool, "turn", lambda _: full())

    asked = Asked(front, READ, "known")

    assert asked.status == 503
    assert (b"retry-after", b"2") in asked.messages[0]["headers"]
    assert asked.messages[-1]["more_body"] is False


def test_who_is_known_no_longer_is_forgotten(
    front: Front, application: Application, visitors: Visitors
) -> None:
    Asked(front, READ, "known").status  # noqa: B018 - it waits
    assert visitors.known

    application.loses = True
    Asked(front, READ, "known").status  # noqa: B018

    assert not visitors.known


def test_a_large_answer_leaves_nothing_of_its_request(
    front: Front, application: Application
) -> None:
    application.answer = [b"x" * (PIECE + 1)]
    asked = Asked(front, READ, "known", length=1)
    asked.sender.sends(b"x")

    assert asked.status == 200
    assert [len(message.get("body", b"")) for message in asked.messages] == [
        0,
        PIECE,
        1,
    ]


@pytest.mark.parametrize("is_late", [False, True], ids=["at once", "in its midst"])
def test_what_is_refused_leaves_nothing_of_its_request(
    front: Front, uncollected: None, monkeypatch: pytest.MonkeyPatch, is_late: bool
) -> None:
    """Or granian keeps the connection open until something else is collected.

    The thread that refuses may be the first to end, or the one that answers.
    """
    asked = Asked(front, READ, "known", length=1000)
    gone = ref(asked.sender)
    del asked.sender
    assert gone() is not None
    if is_late:
        cancel = Pending.cancel

        def cancelled(self: Pending) -> None:
            cancel(self)
            assert asked.run.ended.wait(SECONDS)

        monkeypatch.setattr(Pending, "cancel", cancelled)

    front._bodies.sweep(time.monotonic() + START_SECONDS + 1)

    assert asked.run.ended.wait(SECONDS)
    until = time.monotonic() + SECONDS
    # The thread that answered may have to let go of it yet.
    while gone() is not None and time.monotonic() < until:
        time.sleep(0.001)
    assert gone() is None


def test_what_is_refused_lets_go_of_its_room_before_its_turn(
    front: Front, application: Application
) -> None:
    busy = Asked(front, LONG, "known", length=LARGEST + 1)
    slow, waiting = (Asked(front, READ, "known", length=LARGEST) for _ in range(2))
    while not slow.sender.asked:
        time.sleep(0.001)

    front._bodies.sweep(time.monotonic() + HURRIED_SECONDS + SWEEP_SECONDS)

    waiting.sender.sends(b"x" * LARGEST)
    assert waiting.status == 200
    assert len(application.bodies[-1] or b"") == LARGEST
    assert not busy.run.is_over
    assert not slow.run.is_over


def test_an_answer_that_breaks_off_is_not_taken_for_whole(
    front: Front, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Breaking(list[bytes]):
        streaming = True

        def __iter__(self) -> Iterator[bytes]:
            yield b"half"
            raise LookupError

    cut: list[Any] = []
    monkeypatch.setattr(module.connections, "cut", cut.append)
    application.answer = Breaking()

    asked = Asked(front, READ, "known")

    assert asked.status == 200
    assert cut == [("127.0.0.2", 49394)]
    assert asked.messages[-1]["more_body"] is True


def test_room_is_let_go_when_the_application_fails(
    front: Front, application: Application
) -> None:
    application.answer = None
    asked = Asked(front, READ, "known", length=LARGEST)
    asked.sender.sends(b"x" * LARGEST)
    assert asked.status == 500

    again = Asked(front, READ, "known", length=LARGEST)

    assert again.sender.asked == 1


def test_without_visitors_everybody_is_known(application: Application) -> None:
    asked = Asked(Front(application, largest=LARGEST), READ, length=1)
    asked.sender.sends(b"x")

    assert asked.status == 200
    assert application.bodies == [b"x"]
