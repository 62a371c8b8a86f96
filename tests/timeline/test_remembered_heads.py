"""What a process remembers of heads saves a statement, and decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.core.errors import UnacceptableJson
from apps.core.processes.shared_hints import SIZE, SharedHints
from apps.core.processes.shared_values import MOST_BYTES, SharedValues
from apps.timeline.versions import copies, heads, reading
from apps.timeline.versions.copies import Copies
from apps.timeline.versions.heads import LARGEST, RememberedHeads
from apps.timeline.versions.reading import UNREAD, VersionRow
from tests.acts import act_in
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[RememberedHeads]:
    """What this process remembers, without a file of hints."""
    made = RememberedHeads(copies=lambda: None)
    monkeypatch.setattr(heads, "REMEMBERED", made)
    return made


def head_of(run: Run, project: Project) -> VersionRow:
    act = act_in(project)
    return heads.shown(act.scope, run.id, None, now=act.now)


def known(here: RememberedHeads, run: Run, project: Project) -> VersionRow | None:
    return here.get(Scope(project), run.id)


def test_a_write_leaves_the_head_that_a_read_would_give(
    here: RememberedHeads, run: Run, project: Project
) -> None:
    run.patch({"step": 3}, reasoning="Because.", external_id="x")
    run.turn(state_after={"step": 4})
    run.rollback(1)
    run.turn("only", "said")

    kept, read = known(here, run, project), head_of(run, project)

    assert kept is not None
    assert replace(kept, raw=None) == replace(read, raw=None, parsed=None, leaves=None)
    assert kept.raw == read.raw


def test_a_session_that_is_created_or_forked_is_remembered_from_its_beginning(
    here: RememberedHeads, begin: Begin, project: Project
) -> None:
    made = begin({"step": 0}, user_id="user-1", reasoning="It began.")
    forked = made.fork(state={"more": [1, 2]})

    for run in (made, forked):
        kept, read = known(here, run, project), head_of(run, project)
        assert kept is not None
        assert replace(kept, raw=None) == replace(
            read, raw=None, parsed=None, leaves=None
        )
        assert kept.raw == read.raw


def test_a_write_that_is_rolled_back_is_not_remembered(
    here: RememberedHeads, run: Run, project: Project
) -> None:
    before = known(here, run, project)
    refused = run.client.send(
        "PATCH", run.path("state"), b'{"state": {}, "expected_version": 0}'
    )

    assert_refused(refused, 409, "version_conflict")
    assert head_of(run, project).number == 2
    assert before is not None
    assert before.number == 2


def test_a_write_is_refused_by_the_head_that_is_there_alone(
    here: RememberedHeads, run: Run, project: Project
) -> None:
    old = known(here, run, project)
    assert old is not None
    run.patch({"later": {"deep": 1}})
    here.forget(run.id)
    here.put(old)

    # On the old head there is nothing at that pointer.
    run.patch(remove=["/later/deep"])
    assert run.state == {"step": 2, "city": "NYC", "later": {}}

    run.hold("pause")
    here.forget(run.id)
    here.put(replace(old, hold="closed"))
    paused = run.client.send("PATCH", run.path("state"), b'{"state": {}}')
    assert_refused(paused, 423, "session_paused")


def test_a_worker_reads_anew_what_another_one_has_written(
    tmp_path: Path, run: Run, project: Project
) -> None:
    file = tmp_path / "hints"
    file.write_bytes(bytes(SIZE))
    one, other = (
        RememberedHeads(copies=lambda: Copies(SharedHints(str(file)), None))
        for _ in range(2)
    )
    old = head_of(run, project)
    one.put(old)
    other.put(old)
    assert known(one, run, project) == known(other, run, project) is not None

    run.patch({"step": 3})
    other.put(head_of(run, project))

    assert known(one, run, project) is None
    newest = known(other, run, project)
    assert newest is not None
    assert newest.number == 3


def test_an_older_head_never_replaces_a_newer_one(
    here: RememberedHeads, run: Run, project: Project
) -> None:
    old = known(here, run, project)
    run.patch({"step": 3})
    assert old is not None
    here.put(old)

    newest = known(here, run, project)
    assert newest is not None
    assert newest.number == 3


def test_it_is_bounded_by_the_bytes_of_what_it_keeps(
    begin: Begin, project: Project
) -> None:
    runs = [begin({"text": "x" * 1000}) for _ in range(4)]
    found = [head_of(run, project) for run in runs]
    size = copies.size_in_memory(found[0])
    bounded = RememberedHeads(2 * size, copies=lambda: None)
    for head in found:
        bounded.put(head)

    assert len(bounded) == 2
    assert [known(bounded, run, project) is None for run in runs] == [
        *(True, True),
        *(False, False),
    ]
    for run in runs:
        bounded.forget(run.id)
    assert (len(bounded), bounded._bytes) == (0, 0)


def test_large_heads_and_those_read_in_part_are_not_kept(
    here: RememberedHeads, begin: Begin, project: Project
) -> None:
    large = begin()
    large.patch({"text": "x" * LARGEST})
    run = begin()
    small = head_of(run, project)
    here.forget(run.id)
    here.put(replace(small, session_id="sess_1", raw=None))
    here.put(replace(small, session_id="sess_2", rollback=UNREAD))

    assert known(here, large, project) is None
    assert len(here) == 0
    assert reading.state(head_of(large, project))


def test_whoever_may_see_some_agents_only_is_not_answered_by_it(
    here: RememberedHeads, run: Run, api: Clients, make_key: Keys
) -> None:
    limited = api(make_key(agents=["billing"]))

    answer = limited.send("PATCH", run.path("state"), b'{"remove": ["/nowhere"]}')

    assert_refused(answer, 404, "session_not_found")


def workers(
    tmp_path: Path, values: SharedValues
) -> tuple[RememberedHeads, RememberedHeads]:
    """What two workers of one server remember."""
    file = tmp_path / "hints"
    file.write_bytes(bytes(SIZE))
    one, other = (
        RememberedHeads(copies=lambda: Copies(SharedHints(str(file)), values))
        for _ in range(2)
    )
    return one, other


def test_a_worker_builds_on_the_head_that_another_one_has_stored(
    tmp_path: Path, run: Run, project: Project, other_project: Project
) -> None:
    one, other = workers(tmp_path, SharedValues(8))
    one.put(head_of(run, project))
    other.put(head_of(run, project))
    run.patch({"step": 3}, reasoning="Because.", external_id="x")
    run.rollback(1)
    newest = head_of(run, project)
    other.put(newest)

    found = known(one, run, project)
    assert found is not None
    assert found == replace(newest, parsed=None, leaves=None)
    assert found.rollback == reading.Rollback(4, 1, newest.created_at)
    assert known(one, run, other_project) is None


def test_a_head_that_another_worker_forgot_is_nobodys(
    tmp_path: Path, run: Run, project: Project
) -> None:
    one, other = workers(tmp_path, SharedValues(8))
    one.put(head_of(run, project))
    one.forget(run.id)

    assert known(other, run, project) is None


def test_an_older_copy_than_the_newest_number_is_not_built_on(
    tmp_path: Path, run: Run, project: Project
) -> None:
    values = SharedValues(8)
    one, other = workers(tmp_path, values)
    one.put(head_of(run, project))
    copy = values.get(run.id)
    run.patch({"step": 3})
    one.put(head_of(run, project))
    assert copy is not None
    values.put(run.id, copy)

    assert known(other, run, project) is None


def test_a_head_that_has_no_room_leaves_no_older_copy(
    tmp_path: Path, run: Run, project: Project
) -> None:
    values = SharedValues(8)
    one, _ = workers(tmp_path, values)
    one.put(head_of(run, project))
    run.patch({"text": "x" * MOST_BYTES})
    one.put(head_of(run, project))

    assert values.get(run.id) is None
    assert known(one, run, project) is not None


def test_what_an_encrypting_project_stores_is_copied_nowhere(
    tmp_path: Path, run: Run, project: Project
) -> None:
    values = SharedValues(8)
    one, _ = workers(tmp_path, values)
    one.put(head_of(run, project))
    one.put(head_of(run, project), is_shared=False)

    assert values.get(run.id) is None
    assert known(one, run, project) is not None


def test_a_write_that_is_stored_does_not_fail_for_its_copy(
    tmp_path: Path, run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = SharedValues(8)
    one, _ = workers(tmp_path, values)
    monkeypatch.setattr(heads, "REMEMBERED", one)
    run.patch({"step": 3})

    def broken(_: VersionRow) -> bytes:
        raise UnacceptableJson("A lone surrogate.")

    monkeypatch.setattr(copies, "packed", broken)
    run.patch({"step": 4})

    assert run.head == 4
    assert values.get(run.id) is None


def test_a_copy_that_cannot_be_read_is_none(
    tmp_path: Path, run: Run, project: Project
) -> None:
    values = SharedValues(8)
    one, _ = workers(tmp_path, values)
    values.put(run.id, b"\x02\0\0\0{}")

    assert known(one, run, project) is None
    assert values.get(run.id) is None


@pytest.mark.parametrize("text", ["é" * 1000, "x" * LARGEST])
def test_a_copy_has_any_state_that_has_room(
    tmp_path: Path, begin: Begin, project: Project, text: str
) -> None:
    run = begin({"text": text, "number": 2**70, "half": 0.5, "none": None})
    one, other = workers(tmp_path, SharedValues(8))
    head = head_of(run, project)
    one.put(head)

    found = known(other, run, project)
    assert found == (
        replace(head, parsed=None, leaves=None) if len(text) == 1000 else None
    )


def test_every_column_of_a_head_stands_in_its_copy(run: Run, project: Project) -> None:
    head = replace(head_of(run, project), parsed=None, leaves=None)
    given = {
        one.name: _other(getattr(head, one.name), str(one.type))
        for one in fields(VersionRow)
        if one.name not in {"parsed", "leaves"}
    }
    full = VersionRow(**given)

    assert [name for name, value in given.items() if value is None] == []
    assert copies.unpacked(copies.packed(full)) == full


def _other(value: Any, kind: str) -> Any:
    """Return a value where there is none, of the kind that the column has."""
    if value is not None:
        return value
    for name, one in (
        ("int", 7),
        ("bytes", b"\x00\xff"),
        ("bool", True),
        ("str", "said"),
        ("Rollback", reading.Rollback(2, 1, datetime(2026, 1, 2, 3, 4, 5, 6, UTC))),
    ):
        if name in kind:
            return one
    raise AssertionError(kind)


def test_hints_are_of_the_newest_name_in_their_word(tmp_path: Path) -> None:
    file = tmp_path / "hints"
    file.write_bytes(bytes(SIZE))
    one, other = SharedHints(str(file)), SharedHints(str(file))

    one.tell("sess_a", 7)
    other.tell("sess_a", 8)
    one.tell("sess_b", 2**40 - 1)

    assert (one.newest("sess_a"), other.newest("sess_b")) == (8, 2**40 - 1)
    assert one.newest("sess_c") is None
