"""What is open in sessions: what begins it, what ends it, and that it is never missed.

After random histories the table says what counting again says.
"""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Project
from apps.core import sql
from apps.core.actors import SYSTEM
from apps.timeline import operations as timeline
from apps.timeline import verification
from apps.timeline.models import Session
from apps.timeline.queries import open_items
from apps.timeline.queries.open_items import OpenItem, OpenPlace
from apps.timeline.versions.reading import Step
from apps.timeline.words import OpenKind
from tests.timeline.open_history import WIDE, Acts, counted, list_at_most, stored
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db

ACTS = 80
LOST = {"a": None}
ASKING = {"objective_status": "WAITING_FOR_APPROVAL"}


def kinds(run: Run) -> set[tuple[str, int]]:
    return {(row[0], row[1]) for row in stored(run.id)}


@pytest.fixture
def run(begin: Begin) -> Run:
    return begin({"a": 1})


@pytest.mark.parametrize(
    ("seed", "most"), [*((seed, None) for seed in range(8)), (8, 1), (9, 2), (10, 3)]
)
def test_after_random_histories_it_equals_a_recount(
    project: Project, seed: int, most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if most is not None:
        list_at_most(most, monkeypatch)
    acts = Acts(project, Random(seed))
    met: Counter[str] = Counter()

    for _ in range(ACTS):
        session_id = acts.act()
        rows = stored(session_id)
        assert rows == counted(session_id), (acts.done, session_id)
        met.update(row[0] for row in rows)

    assert len(acts.done) > ACTS / 2
    assert met.keys() == {"waiting", "flagged", "held"}
    for session_id in acts.sessions:
        assert stored(session_id) == counted(session_id)
        assert list(verification.findings(session_id)) == []


# -- waiting


@pytest.mark.parametrize(
    ("state", "step", "waits"),
    [
        ({"escalated": True}, {}, True),
        ({"escalated_to_human": True}, {}, True),
        ({**WIDE, "escalated": True}, {}, True),
        ({"a": "x" * 300_000, "escalated": True}, {}, True),
        ({"escalated": False}, {}, False),
        ({"escalated": "true"}, {}, False),
        ({"escalated": 1}, {}, False),
        ({"b": {"escalated": True}}, {}, False),
        ({}, ASKING, True),
        ({}, {"objective_status": "waiting_for_you"}, False),
    ],
    ids=lambda one: str(one)[:30],
)
def test_a_state_or_an_objective_asks_for_a_human(
    run: Run, state: Any, step: Any, waits: bool
) -> None:
    run.patch(state, **step)

    assert kinds(run) == ({("waiting", 1)} if waits else set())


def test_it_waits_since_the_first_version_that_asks(run: Run) -> None:
    run.patch({"escalated": True})
    run.patch({"a": 2})
    run.patch({"escalated": False}, **ASKING)
    assert kinds(run) == {("waiting", 1)}

    run.patch({"a": 3})
    assert kinds(run) == set()

    run.put({"escalated": True})
    assert ("waiting", 5) in kinds(run)


def test_a_turn_that_leaves_the_state_answers_nothing(run: Run) -> None:
    run.patch({}, **ASKING)
    run.turn()
    assert kinds(run) == {("waiting", 1)}

    run.turn(state_after={"a": 2})
    assert kinds(run) == set()


def test_an_agent_that_asks_and_pauses_itself_still_waits(run: Run) -> None:
    run.patch({}, **ASKING)
    run.hold("pause")
    assert kinds(run) == {("waiting", 1), ("held", 2)}

    run.hold("resume")
    assert kinds(run) == {("waiting", 1)}

    run.patch({}, **ASKING)
    assert kinds(run) == {("waiting", 1)}

    run.hold("pause")
    run.hold("resume")
    run.patch({"a": 2})
    assert kinds(run) == set()


def test_after_a_pause_a_write_that_changes_no_state_is_heard(run: Run) -> None:
    run.patch({"escalated": True})
    run.hold("pause")
    run.hold("resume")
    run.patch({})
    assert kinds(run) == {("waiting", 1)}


def test_a_rollback_restores_what_the_state_asks_and_not_the_objective(
    run: Run,
) -> None:
    run.patch({"escalated": True})
    run.patch({"escalated": False}, **ASKING)
    run.rollback(0)
    assert kinds(run) == set()

    run.rollback(2)
    assert kinds(run) == set()

    run.rollback(1)
    assert kinds(run) == {("waiting", 5)}


# Committed, or no outline is kept of a large state, and all is parsed again.
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("state", [WIDE, {"notes": "x" * 300_000}, WIDE | LOST])
def test_rollbacks_of_wide_and_large_states_are_heard(run: Run, state: Any) -> None:
    run.patch({**state, "notes": "x" * 300_000, "escalated": True})
    run.patch({"escalated": False})
    run.rollback(1)
    assert ("waiting", 3) in kinds(run)

    run.rollback(2)
    assert "waiting" not in {kind for kind, _ in kinds(run)}


def test_a_batch_counts_each_of_its_versions(run: Run) -> None:
    asking = [{"state": {"escalated": True}}, {"state": {"a": 2}}]
    run.post("versions", {"versions": asking})
    assert kinds(run) == {("waiting", 1)}

    told = [{"state": {"escalated": False}}, {"state": {}, **ASKING}, {"state": LOST}]
    run.post("versions", {"versions": told})
    assert kinds(run) == {("flagged", 5)}

    told = [{"state": {}, **ASKING}, {"state": {"b": 1}}, {"state": {}, **ASKING}]
    run.post("versions", {"versions": told})
    assert kinds(run) == {("flagged", 5), ("waiting", 8)}


def test_a_session_can_begin_waiting_and_so_can_a_fork(begin: Begin) -> None:
    run = begin({"escalated": True})
    run.patch({"escalated": False})

    assert kinds(run) == set()
    assert kinds(run.fork(version=0)) == {("waiting", 0)}
    assert kinds(run.fork(version=1)) == set()
    assert kinds(run.fork(version=0, state={"escalated": None})) == set()
    assert kinds(begin({"escalated": True})) == {("waiting", 0)}


# -- flagged


def test_what_was_lost_is_open_until_it_is_set_aside(run: Run) -> None:
    run.patch({"b": 1})
    run.patch(LOST)
    run.patch({"b": 2})
    run.rollback(2)
    assert kinds(run) == {("flagged", 2)}

    run.rollback(1)
    assert kinds(run) == set()


def test_an_undone_rollback_brings_it_back(project: Project, run: Run) -> None:
    run.patch(LOST)
    run.patch({"a": 1})
    run.patch(LOST)
    run.rollback(0)
    run.patch({"b": 1})
    assert kinds(run) == set()

    undo(project, run, 4)
    assert kinds(run) == {("flagged", 1), ("flagged", 3)}

    undo(project, run, 6)
    assert kinds(run) == set()


def test_a_rollback_to_what_was_set_aside_changes_sides(run: Run) -> None:
    run.patch(LOST)  # v1, on the one side
    run.rollback(0)
    run.patch({"b": 1})
    run.patch({"b": None})  # v4, on the other
    assert kinds(run) == {("flagged", 4)}

    run.rollback(1)
    assert kinds(run) == {("flagged", 1)}

    run.rollback(4)
    assert kinds(run) == {("flagged", 4)}


def test_a_rollback_is_not_flagged_itself(run: Run) -> None:
    run.patch({"b": 1})
    run.rollback(0)

    assert run.get("versions", 2)["flags"] == ["keys_lost"]
    assert kinds(run) == set()


def test_of_one_session_so_many_are_listed_the_newest(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    list_at_most(3, monkeypatch)
    for number in range(5):
        run.patch({"a": None, "b": number})
        run.patch({"a": 1})
    assert kinds(run) == {("flagged", number) for number in (5, 7, 9)}

    run.rollback(6)
    assert kinds(run) == {("flagged", number) for number in (1, 3, 5)}

    run.rollback(10)
    assert kinds(run) == {("flagged", number) for number in (5, 7, 9)}

    run.rollback(2)
    assert kinds(run) == {("flagged", 1)}


def test_as_many_are_listed_as_make_a_true_count(db: None) -> None:
    ((most,),) = sql.rows("SELECT timeline_most_flagged_v1()", [])

    assert most == open_items.MOST_FLAGGED == open_items.MOST_COUNTED + 1


def undo(project: Project, run: Run, number: int) -> None:
    act = Acts(project, Random(0), now=timezone.now()).next_act()
    timeline.undo(session_id=run.id, number=number, step=Step(), act=act)


# -- held, and the end


def test_a_session_is_held_since_it_was_paused(run: Run) -> None:
    run.patch({"b": 1})
    run.rollback(0, hold=True)
    assert kinds(run) == {("held", 2)}

    run.rollback(1, hold=True)
    assert kinds(run) == {("held", 2)}

    run.hold("resume")
    assert kinds(run) == set()


def test_a_closed_session_waits_for_nobody_and_lost_what_it_lost(run: Run) -> None:
    run.patch({**LOST, "escalated": True})
    run.hold("pause")
    run.hold("close")

    assert kinds(run) == {("flagged", 1)}


def test_a_deleted_session_has_nothing_open(run: Run) -> None:
    run.patch({**LOST, "escalated": True})
    run.hold("pause")
    run.client.delete(run.path())

    assert kinds(run) == set()


def test_an_expired_session_is_not_shown_and_the_sweep_removes_it(
    project: Project, run: Run
) -> None:
    run.patch({**LOST, "escalated": True})
    run.hold("pause")
    ends = timezone.now() + timedelta(hours=1)
    Session.objects.filter(id=run.id).update(expires_at=ends)

    assert shown(project, now=ends - timedelta(microseconds=1)) == 3 * [run.id]
    assert shown(project, now=ends) == []
    assert set(open_items.open_counts(project.id, now=ends).values()) == {0}
    assert len(kinds(run)) == 3

    timeline.expire(actor=SYSTEM, now=ends)
    assert kinds(run) == set()


def shown(project: Project, **asked: Any) -> list[str]:
    return [
        one.session_id
        for kind in OpenKind
        for one in open_items.list_open_items(project.id, kind, limit=50, **asked)
    ]


# -- lists


def asking(project: Project, at: datetime) -> str:
    """Begin a session that waits since that moment; return its id."""
    act = replace(Acts(project, Random(0)).next_act(), now=at)
    return timeline.create(
        agent="travel",
        state={"escalated": True},
        about=timeline.About(),
        step=Step(),
        act=act,
    ).session_id


def test_pages_have_each_item_once_however_many_are_of_one_moment(
    project: Project,
) -> None:
    moments = [datetime(2026, 3, 1, 12, minute % 3, tzinfo=UTC) for minute in range(23)]
    made = [asking(project, at) for at in moments]
    now = timezone.now()

    found: list[OpenItem] = []
    place: OpenPlace | None = None
    while True:
        some = open_items.list_open_items(
            project.id, OpenKind.WAITING, after=place, limit=5, now=now
        )
        found += some[:5]
        if len(some) <= 5:
            break
        place = some[4].place

    assert [one.at for one in found] == sorted(moments, reverse=True)
    assert {one.session_id for one in found} == set(made)
    assert len(found) == 23


def test_they_are_counted_up_to_a_bound(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for minute in range(5):
        asking(project, datetime(2026, 3, 1, 12, minute, tzinfo=UTC))
    now = timezone.now()

    assert open_items.open_counts(project.id, now=now)[OpenKind.WAITING] == 5
    monkeypatch.setattr(open_items, "MOST_COUNTED", 3)
    assert open_items.open_counts(project.id, now=now)[OpenKind.WAITING] == 4


def test_a_page_is_a_walk_along_the_index(project: Project) -> None:
    asked = {
        "project": project.id,
        "kind": "waiting",
        "at": timezone.now(),
        "session": "sess_",
        "number": 1,
        "limit": 9,
        "now": timezone.now(),
    }
    with connection.cursor() as cursor:
        for name in ("seqscan", "bitmapscan", "sort"):
            cursor.execute(f"SET LOCAL enable_{name} = off")
    lines = [line for (line,) in sql.rows("EXPLAIN " + open_items.PAGE, asked)]
    at = next(n for n, line in enumerate(lines) if "timeline_open_newest" in line)

    assert "Index Scan Backward" in lines[at]
    assert "Index Cond" in lines[at + 1]
    assert all(name in lines[at + 1] for name in ("project_id", "kind", "ROW(at, "))
