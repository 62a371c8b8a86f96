"""Shared documents: written under a name, read by all of the project."""

import pytest

from tests.timeline.shared.board import Board, assert_problem

pytestmark = pytest.mark.django_db


def test_the_first_write_makes_the_document(board: Board) -> None:
    made = board.patch({"goal": "Rome"}, reasoning="So it begins")

    assert made.status == 200
    assert made.body["version"] == 1
    assert made.headers["ETag"] == '"v1"'
    assert board.state == {"goal": "Rome"}


def test_put_replaces_and_patch_merges(board: Board) -> None:
    board.put({"goal": "Rome", "left": 1})
    board.patch({"left": 2})

    assert board.state == {"goal": "Rome", "left": 2}


def test_its_history_is_kept_and_gone_back_to(board: Board) -> None:
    board.put({"goal": "Rome"})
    board.put({"goal": None})

    back = board.rollback(1, reasoning="The goal was lost")

    assert back.body["version"] == 3
    assert back.body["state"] == {"goal": "Rome"}
    listed = board.get("/versions").body
    assert [one["version"] for one in listed["data"]] == [3, 2, 1, 0]
    assert [one["set_aside_by"] for one in listed["data"]] == [None, 3, None, None]
    assert board.get("/versions/2").body["state"] == {"goal": None}


def test_a_stale_version_is_refused(board: Board) -> None:
    board.put({"n": 1})
    board.put({"n": 2})

    refused = board.put({"n": 9}, expected_version=1)

    assert_problem(refused, 409, "version_conflict")
    assert board.state == {"n": 2}


def test_what_nobody_wrote_is_not_there(board: Board) -> None:
    assert_problem(board.get(), 404, "shared_not_found")
    assert_problem(board.rollback(0), 404, "shared_not_found")
    assert_problem(board.get("/versions"), 404, "shared_not_found")
    assert_problem(board.release(1), 404, "shared_not_found")


def test_no_door_for_sessions_shows_it(board: Board) -> None:
    session_id = board.put({"goal": "Rome"}).body["session_id"]

    for path in ("", "/state", "/versions", "/versions/1", "/turns", "/checkpoint"):
        found = board.client.get(f"/v1/sessions/{session_id}{path}")
        assert_problem(found, 404, "session_not_found")
    assert board.client.get("/v1/sessions").body["data"] == []
    written = board.client.send(
        "PATCH", f"/v1/sessions/{session_id}/state", b'{"state":{"goal":"Oslo"}}'
    )
    assert_problem(written, 404, "session_not_found")


def test_no_route_of_shared_documents_shows_a_session(board: Board) -> None:
    made = board.client.post("/v1/sessions", b'{"agent_id":"travel"}')
    assert made.status == 201

    assert board.client.get("/v1/shared").body["data"] == []


def test_documents_are_listed_by_name(board: Board) -> None:
    for name in ("public/b", "agent/travel/a", "public/a", "public/ab"):
        Board(board.client, name).put({})

    everything = board.client.get("/v1/shared").body
    some = board.client.get("/v1/shared", {"prefix": "public/a"}).body
    first = board.client.get("/v1/shared", {"limit": 2}).body
    rest = board.client.get("/v1/shared", {"starting_after": first["last_id"]}).body

    names = ["agent/travel/a", "public/a", "public/ab", "public/b"]
    assert [one["name"] for one in everything["data"]] == names
    assert [one["name"] for one in some["data"]] == ["public/a", "public/ab"]
    assert [one["name"] for one in first["data"] + rest["data"]] == names


def test_a_write_that_is_repeated_is_done_once(board: Board) -> None:
    body = {"state": {"n": 1}}
    first = board.send("PATCH", "", body, Idempotency_Key="k")
    again = board.send("PATCH", "", body, Idempotency_Key="k")

    assert first.body["version"] == again.body["version"] == 1
    assert again.headers["Idempotent-Replayed"] == "true"
