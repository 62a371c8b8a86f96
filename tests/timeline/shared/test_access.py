"""Who may write a shared document, and who may read it."""

from typing import Any

import pytest

from apps.accounts.models import Scope
from tests.timeline.shared.board import Board, assert_problem

pytestmark = pytest.mark.django_db


def test_any_key_writes_what_is_public(board: Board, limited: Any) -> None:
    limited("travel").put({"by": "travel"})
    limited("refunds").patch({"seen": True})

    assert board.state == {"by": "travel", "seen": True}


def test_an_agents_own_is_written_by_it_alone_and_read_by_all(limited: Any) -> None:
    name = "agent/travel/notes"
    own, other = limited("travel", name), limited("refunds", name)

    assert own.put({"mine": 1}).status == 200
    for refused in (
        other.put({"mine": 2}),
        other.patch({"mine": 2}),
        other.rollback(0),
        other.take("other"),
        other.renew(1),
        other.release(1),
    ):
        assert_problem(refused, 403, "permission_denied")
    assert other.state == {"mine": 1}


def test_a_key_that_reads_writes_nothing(api: Any, make_key: Any, board: Board) -> None:
    board.put({"n": 1})
    reader = Board(api(make_key(Scope.READ)), board.name)

    assert reader.state == {"n": 1}
    for refused in (reader.put({}), reader.take("a"), reader.rollback(0)):
        assert_problem(refused, 403, "permission_denied")


def test_a_stranger_finds_another_document(
    api: Any, make_key: Any, other_project: Any, board: Board
) -> None:
    board.put({"n": 1})
    stranger = Board(api(make_key(project=other_project)), board.name)

    assert_problem(stranger.get(), 404, "shared_not_found")
    assert stranger.client.get("/v1/shared").body["data"] == []
    assert stranger.put({"n": 2}).body["version"] == 1
    assert board.state == {"n": 1}


def test_without_a_key_nothing_is_read(api: Any, board: Board) -> None:
    board.put({"n": 1})

    nobody = Board(api(None), board.name)

    assert nobody.get().status == nobody.put({}).status == 401


@pytest.mark.parametrize(
    "name",
    ["plan", "private/plan", "public/", "agent/travel", "public/a/b", "agent//x"],
)
def test_what_can_be_no_name_is_not_there(board: Board, name: str) -> None:
    assert Board(board.client, name).put({}).status == 404


def test_a_wrong_method_is_refused(board: Board) -> None:
    assert board.client.send("DELETE", board.path, b"").status == 405
    assert board.get("/lease").status == 405
