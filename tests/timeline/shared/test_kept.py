"""What holds of every history holds of a shared document's: proof, search, removal."""

from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from apps.core.roles.names import Role
from apps.metrics import rollups
from apps.timeline.models import Lease, Session, Version
from apps.timeline.operations import remove_session
from apps.timeline.verification import findings
from tests.acting import acting_as, tampering
from tests.feeding import feed_all
from tests.timeline.shared.board import Board

pytestmark = pytest.mark.django_db


@pytest.fixture
def written(board: Board) -> str:
    """A document that lost a value, got it back, and is held; its id."""
    board.put({"goal": "Rome", "secret": "marzipan"})
    board.put({"goal": None})
    board.rollback(1, reasoning="lost")
    board.take("planner")
    feed_all()
    session_id: str = board.get().body["session_id"]
    return session_id


def test_its_chain_is_verified(written: str, capsys: Any) -> None:
    assert list(findings(written)) == []

    call_command("verify", "--session", written)


def test_a_forged_version_is_found(written: str) -> None:
    with tampering("timeline_version"), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_version SET trace_id = 'another'"
            " WHERE session_id = %s AND number = 1",
            [written],
        )

    (found, *_) = findings(written)
    assert found.number == 1


def test_no_search_finds_it(written: str, board: Board) -> None:
    for query in ("marzipan", 'state.secret="marzipan"', written, "public/plan"):
        found = board.client.get("/v1/search", {"q": query})
        assert found.status == 200, found.content
        assert found.body["data"] == []


def test_its_rollbacks_are_of_no_agent(written: str, board: Board) -> None:
    rollups.sweep(now=timezone.now())

    told = board.client.get("/v1/metrics/rollbacks").body

    assert written not in str(told)


def test_an_erasure_takes_it_with_its_lease(written: str) -> None:
    with acting_as(Role.RETENTION):
        gone = remove_session(
            session_id=written, removal_id="rem_01", reason="test", erasing=True
        )

    assert gone.outcome == "done"
    assert not Lease.objects.exists()
    assert not Version.objects.filter(session_id=written).exists()
    assert not Session.with_documents.filter(id=written).exists()


def test_a_fence_outlives_what_is_written(written: str, board: Board) -> None:
    """A name that was erased begins anew; nobody holds an old fence against it."""
    with acting_as(Role.RETENTION):
        remove_session(
            session_id=written, removal_id="rem_01", reason="test", erasing=True
        )

    assert board.get().status == 404
    assert board.patch({"goal": "Oslo"}, fence=1).code == "fence_stale"
    assert board.put({"goal": "Oslo"}).status == 200
