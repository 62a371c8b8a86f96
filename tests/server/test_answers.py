"""Answers of a WSGI application, as they are handed to granian."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from apps.server.front import answers
from apps.server.front.answers import Answer, FileWrapper, answer_of
from apps.server.front.departures import PIECE
from tests.server.running import Pending

HEADERS = [("Content-Type", "text/plain"), ("X-Name", "Zoë")]


class Granian:
    """Takes messages, the first ones at once; the others when it is told."""

    def __init__(self, takes: int = 100) -> None:
        self.messages: list[dict[str, Any]] = []
        self.takes = takes
        self.waiting: list[Pending] = []

    def __call__(self, message: dict[str, Any]) -> Any:
        self.messages.append(message)
        if len(self.messages) <= self.takes:
            return object()
        self.waiting.append(Pending())
        return self.waiting[-1]

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages)


class Result:
    """What an application returned; says whether it was closed."""

    def __init__(self, parts: Iterable[bytes], *, streaming: bool = False) -> None:
        self.parts, self.streaming = parts, streaming
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.parts)

    def close(self) -> None:
        self.is_closed = True


def answer(result: Any) -> Answer:
    def application(environ: Any, start_response: Any) -> Any:
        start_response("201 Created", HEADERS)
        return result

    return answer_of(application, {})


def test_a_body_goes_as_one_message() -> None:
    granian, result = Granian(), Result([b"one ", b"two"])

    made = answer(result)
    made.send(granian)
    made.close()

    assert granian.messages == [
        {
            "type": "http.response.start",
            "status": 201,
            "headers": [
                (b"content-type", b"text/plain"),
                (b"x-name", b"Zo\xeb"),
                (b"content-length", b"7"),
            ],
        },
        {"type": "http.response.body", "body": b"one two", "more_body": False},
    ]
    assert result.is_closed


def test_a_length_that_is_told_is_not_told_again() -> None:
    def application(environ: Any, start_response: Any) -> Any:
        start_response("200 OK", [("Content-Length", "2")])
        return [b"{}"]

    made = answer_of(application, {})

    assert made.start["headers"] == [(b"content-length", b"2")]


def test_an_answer_without_a_body_has_no_length() -> None:
    assert (b"content-length", b"0") not in answer([]).start["headers"]


def test_a_file_is_left_to_granian(tmp_path: Path) -> None:
    file = tmp_path / "file.js"
    file.write_bytes(b"content")
    granian = Granian()

    made = answer(FileWrapper(file.open("rb")))
    made.send(granian)
    made.close()

    assert granian.messages[1:] == [
        {"type": "http.response.pathsend", "path": str(file)}
    ]


def test_a_part_of_a_file_is_read_here(tmp_path: Path) -> None:
    file = tmp_path / "file.js"
    file.write_bytes(b"content")
    opened = file.open("rb")
    opened.seek(3)
    granian = Granian()

    made = answer(FileWrapper(opened, 2))
    made.send(granian)
    made.close()

    assert granian.body == b"tent"
    assert opened.closed


def test_what_is_made_while_it_is_sent_goes_part_by_part() -> None:
    granian = Granian()

    answer(Result(iter([b"one", b"two"]), streaming=True)).send(granian)

    assert [message.get("more_body") for message in granian.messages] == [
        None,
        True,
        True,
        False,
    ]


def test_nothing_more_is_made_for_a_reader_who_takes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "STALL_SECONDS", 0.01)
    made: list[int] = []

    def parts() -> Iterator[bytes]:
        for at in range(100):
            made.append(at)
            yield b"x"

    granian = Granian(takes=3)
    with pytest.raises(TimeoutError):
        answer(Result(parts(), streaming=True)).send(granian)

    assert made == [0, 1, 2]
    assert granian.waiting[0].is_cancelled


def test_an_answer_is_closed_when_reading_it_fails() -> None:
    def parts() -> Iterator[bytes]:
        yield b"x"
        raise LookupError

    result = Result(parts())
    with pytest.raises(LookupError):
        answer(result)

    assert result.is_closed


def test_only_what_is_larger_than_a_piece_is_large() -> None:
    assert not answer([b"x" * PIECE]).is_large
    assert answer([b"x" * (PIECE + 1)]).is_large
