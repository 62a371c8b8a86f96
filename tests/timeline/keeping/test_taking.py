"""What need not be kept goes; what must stay is there, byte for byte, and verifies."""

from typing import Any

import pytest
from django.db import connection

from apps.timeline import hooks
from apps.timeline.models import Body, Session, Tombstone, Version
from apps.timeline.operations.keeping import Went
from apps.timeline.verification import verify_session
from tests.acting import erasing
from tests.feeding import project_all
from tests.timeline import runs
from tests.timeline.keeping.taking import empty, prune, remove

pytestmark = pytest.mark.django_db


@pytest.fixture
def long(begin: runs.Begin) -> runs.Run:
    """A session with versions 0 to 9, each built on the one before."""
    made = begin({"step": 0, "text": "something long enough to build on " * 20})
    for step in range(1, 10):
        made.patch({"step": step})
    project_all()
    return made


def shown(run: runs.Run, number: int) -> Any:
    return run.get("versions", number)["state"]


def numbers(run: runs.Run) -> list[int]:
    kept = Version.objects.filter(session_id=run.id).order_by("number")
    return list(kept.values_list("number", flat=True))


def assert_clean(run: runs.Run) -> None:
    report = verify_session(run.id)
    assert (report.first_broken, report.first_derived) == (None, None)


def test_pruned_versions_leave_a_tombstone_and_the_rest_as_it_was(
    long: runs.Run,
) -> None:
    before = {number: shown(long, number) for number in range(6, 10)}
    ends = {
        one.number: bytes(one.chain)
        for one in Version.objects.filter(session_id=long.id)
    }
    gone = prune(long, 0, 5)
    assert (gone.outcome, gone.versions, gone.bodies) == (Went.DONE, 6, 6)
    assert numbers(long) == [6, 7, 8, 9]
    assert {number: shown(long, number) for number in before} == before
    (stone,) = Tombstone.objects.of_session(long.id)
    assert (stone.first_number, stone.last_number, stone.count) == (0, 5, 6)
    assert bytes(stone.chain_after) == ends[5]
    assert not Body.objects.filter(session_id=long.id, number__lte=5).exists()
    assert_clean(long)


def test_what_is_pinned_stays_with_its_reason(long: runs.Run) -> None:
    long.post("versions/3/labels", {"label": "known-good"})
    hooks.PINS["test"] = lambda session_id: {4: "needed above"}
    try:
        gone = prune(long, 0, 9)
    finally:
        del hooks.PINS["test"]
    assert numbers(long) == [3, 4, 9]
    assert gone.pinned[3] == "labelled"
    assert gone.pinned[4] == "needed above"
    assert gone.pinned[9] == "head"
    assert shown(long, 3)["step"] == 3
    assert_clean(long)


def test_turns_go_on_from_the_last_one_whatever_went(begin: runs.Begin) -> None:
    run = begin({"step": 0})
    for step in range(3):
        run.turn(said=f"turn {step}", state_after={"step": step + 1})
    run.patch({"step": 9})
    assert prune(run, 0, 4).pinned[3] == "last turn"
    assert numbers(run) == [3, 4]
    assert run.turn(said="again")["turn_number"] == 4
    assert run.get()["turn_count"] == 4
    assert_clean(run)


def test_under_a_legal_hold_nothing_goes(long: runs.Run) -> None:
    hooks.LEGAL_HOLDS["test"] = lambda session_id: "a court asked"
    try:
        assert prune(long, 0, 5, erasing=True).outcome is Went.HELD
        assert empty(long, 0, 5).outcome is Went.HELD
        assert remove(long, erasing=True).outcome is Went.HELD
    finally:
        del hooks.LEGAL_HOLDS["test"]
    assert numbers(long) == list(range(10))


def test_a_fork_verifies_without_its_origin(long: runs.Run, begin: runs.Begin) -> None:
    made = long.fork(version=4)
    project_all()
    assert prune(long, 0, 8).pinned[4] == "forked"
    assert prune(long, 4, 4, erasing=True).outcome is Went.DONE
    assert verify_session(made.id).first_broken is None
    assert remove(long, erasing=True).outcome is Went.DONE
    assert verify_session(made.id).first_broken is None


def test_a_removed_session_leaves_nothing_but_tombstones(long: runs.Run) -> None:
    assert remove(long).outcome is Went.DONE
    assert not Session.objects.filter(id=long.id).exists()
    assert numbers(long) == []
    (stone,) = Tombstone.objects.of_session(long.id)
    assert (stone.first_number, stone.last_number) == (0, 9)
    assert remove(long).outcome is Went.UNKNOWN
    assert long.client.get(long.path()).status == 404


def test_emptied_versions_keep_their_headers_and_the_chain(long: runs.Run) -> None:
    gone = empty(long, 0, 5)
    assert (gone.outcome, gone.versions) == (Went.DONE, 6)
    assert numbers(long) == list(range(10))
    assert shown(long, 6)["step"] == 6
    kept = Body.objects.filter(session_id=long.id, number__lte=5)
    assert {bytes(one.data) for one in kept} == {b""}
    assert_clean(long)
    assert empty(long, 0, 5).versions == 0
    assert prune(long, 0, 5).versions == 6
    assert_clean(long)


@pytest.mark.parametrize("taken", ["emptied", "pruned"])
def test_what_was_emptied_never_shows_anything_again(
    long: runs.Run, taken: str
) -> None:
    """Not even where the version whose body it showed goes later."""
    long.rollback(2)
    long.patch({"step": 11})
    for number in (1, 2):
        long.post(f"versions/{number}/labels", {"label": "good"})
    assert set(empty(long, 0, 10).pinned) == {1, 2}
    # The rollback to v2 is set aside itself, and what it shows goes.
    long.rollback(1)
    long.patch({"step": 13})
    long.client.delete(long.path("versions/2/labels/good"))
    long.post("versions/10/labels", {"label": "kept"})

    gone = (empty if taken == "emptied" else prune)(long, 2, 2)

    assert gone.versions == 1
    answer = long.client.get(long.path("versions/10"))
    assert (answer.status, answer.code) == (410, "contents_erased")
    held = Body.objects.filter(session_id=long.id).exclude(data=b"")
    assert {one.number for one in held} == {1, 11, 13}
    assert_clean(long)


def test_what_went_answers_410_and_is_not_restored(long: runs.Run) -> None:
    prune(long, 0, 2)
    empty(long, 3, 5)
    for number, code in ((1, "version_pruned"), (4, "contents_erased")):
        answer = long.client.get(long.path("versions", number))
        assert (answer.status, answer.body["error"]["code"]) == (410, code)
        back = long.client.post(long.path("rollback"), {"version": number})
        assert (back.status, back.body["error"]["code"]) == (409, code)
    assert long.head == 9


def test_a_broken_history_is_not_taken(long: runs.Run) -> None:
    with erasing(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_version SET leaf = sha256('x')"
            " WHERE session_id = %s AND number = 2",
            [long.id],
        )
    assert prune(long, 0, 5).outcome is Went.MOVED
    assert numbers(long) == list(range(10))
