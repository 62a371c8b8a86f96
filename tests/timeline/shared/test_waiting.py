"""Waiting for a newer version; a few wait at once, the others are told to come back."""

import threading
import time

import pytest
from django.db import connection

from apps.core.http import waiting
from tests.timeline.shared.board import Board

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_answers_once_a_newer_version_is_there(board: Board) -> None:
    board.put({"n": 1})

    def write() -> None:
        time.sleep(0.3)
        board.put({"n": 2})
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    found = board.get(newer_than=1, wait=20)
    writer.join(30)

    assert found.body["version"] == 2
    assert found.body["state"] == {"n": 2}


def test_it_answers_at_once_where_it_is_there(board: Board) -> None:
    board.put({"n": 1})

    assert board.get(newer_than=0, wait=30).body["version"] == 1


def test_it_answers_what_is_there_when_the_time_is_over(board: Board) -> None:
    board.put({"n": 1})

    found = board.get(newer_than=1, wait=1)

    assert found.status == 200
    assert found.body["version"] == 1


def test_without_a_place_to_wait_it_is_answered_at_once(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    board.put({"n": 1})
    monkeypatch.setattr(waiting, "_places", threading.BoundedSemaphore(1))
    waiting._places.acquire()

    found = board.get(newer_than=1, wait=30)

    assert found.status == 200
    assert int(found.headers["Retry-After"]) >= 2


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"wait": 31, "newer_than": 1}, "wait"),
        ({"wait": "soon", "newer_than": 1}, "wait"),
        ({"wait": 1, "newer_than": -1}, "newer_than"),
        ({"wait": 1}, "newer_than"),
    ],
)
def test_bad_input_is_refused(
    board: Board, query: dict[str, object], param: str
) -> None:
    board.put({"n": 1})

    refused = board.get(**query)

    assert (refused.status, refused.param) == (400, param)
