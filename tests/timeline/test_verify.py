"""Verification finds what was changed in the store, and nothing where nothing was.

The suite makes 2,000 clean versions, with `CI=true` 3,000; `STEPBACK_CLEAN_VERSIONS`
asks for another number.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count, repeat
from random import Random
from typing import Any

import pytest
from django.db import connection, transaction

from apps.accounts import operations as accounts
from apps.accounts.models import Project
from apps.accounts.models import Scope as KeyScope
from apps.agents.scope import Scope
from apps.core.admission import gate
from apps.core.errors import Busy
from apps.diffs.changes import Comparison
from apps.timeline import bodies, verification
from apps.timeline import operations as timeline
from apps.timeline.bodies.caching import Cache
from apps.timeline.errors import SessionNotFound
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.about import About
from apps.timeline.verification import Kind, Limits, verify_session
from apps.timeline.versions import proof
from apps.timeline.versions.reading import Step
from apps.timeline.words import Op
from tests import proof as checker
from tests.acting import erasing, tampering
from tests.acts import act_by, act_in
from tests.conftest import Api, make_project
from tests.feeding import project_all
from tests.timeline import runs
from tests.timeline.damage import (
    PROVEN,
    Place,
    damage,
    delete,
    drop_constraints,
    flipped,
    make_history,
    picked,
    place_of,
    places,
)

pytestmark = pytest.mark.django_db
SEED = 20260301
FLIPS = 200
USUAL = "3000" if os.environ.get("CI") else "2000"
CLEAN_VERSIONS = int(os.environ.get("STEPBACK_CLEAN_VERSIONS") or USUAL)
# In so many tests, so that several workers share them.
SHARES = 10
SESSION_VERSIONS = 200
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
IN_FUTURE = datetime(2036, 1, 1, tzinfo=UTC)
UNKNOWN = "sess_" + "0" * 26


@pytest.fixture(scope="module")
def made_once(
    django_db_setup: Any, django_db_blocker: Any
) -> Iterator[tuple[Project, runs.Run]]:
    """A project and a history for all these tests; each undoes what it did to them."""
    with django_db_blocker.unblock(), transaction.atomic():
        project = make_project("checkout")
        client = Api(issued(project))
        yield project, make_history(partial(runs.begin, client))
        transaction.set_rollback(True)


@pytest.fixture
def project(db: None, made_once: tuple[Project, runs.Run]) -> Project:
    return made_once[0]


@pytest.fixture
def history(
    db: None, made_once: tuple[Project, runs.Run], monkeypatch: pytest.MonkeyPatch
) -> runs.Run:
    # A test before this one may have kept what it had changed.
    monkeypatch.setattr(bodies, "cache", Cache())
    return made_once[1]


def issued(project: Project) -> str:
    """Return the secret of a new key of this project."""
    _, secret = accounts.issue_key(
        project=project, name="test", scope=KeyScope.WRITE, act=act_by()
    )
    return secret


def driver() -> Any:
    connection.ensure_connection()
    return connection.connection


def assert_clean(session_id: str, versions: int | None = None) -> verification.Report:
    report = verify_session(session_id)
    assert list(verification.findings(session_id)) == []
    assert (report.broken, report.derived) == (0, 0)
    assert versions is None or report.versions == versions
    return report


def test_one_of_every_kind_of_version_holds(history: runs.Run) -> None:
    report = assert_clean(history.id, versions=12)

    assert report.is_valid
    assert report.bodies == 5
    stored = checker.read(driver(), history.id)
    assert stored.origin is not None
    assert report.chain_start == stored.origin.chain
    assert report.chain_end == stored.versions[-1].chain
    assert (report.last_number, report.has_more) == (11, False)


def test_changes_hold_as_the_first_releases_kept_them(
    begin: runs.Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "All rooms face the sea. " * 20
    run = begin({"note": f"{long}open"})
    now = index.shown

    def as_earlier(found: Comparison) -> dict[str, Any]:
        shown = now(found)
        return shown | {"changes": index.shown_earlier(shown["changes"], found)}

    with monkeypatch.context() as earlier:
        earlier.setattr(index, "shown", as_earlier)
        run.patch({"note": f"{long}closed"})
    (kept,) = run.get("versions", 1)["changes"]
    run.patch({"note": f"{long}open again"})

    assert kept["before"] == kept["after"] == long[:199] + "…"
    assert_clean(run.id, versions=3)


def test_forks_hold_and_begin_with_their_origins_chain(history: runs.Run) -> None:
    same, other = history.fork(version=4), history.fork(state={"city": "Rome"})
    deeper = same.fork()

    for fork in (same, other, deeper):
        assert assert_clean(fork.id, versions=1).bodies == 1


def test_a_deleted_session_holds(run: runs.Run) -> None:
    assert run.client.delete(run.path()).status == 204

    assert_clean(run.id, versions=4)


def test_a_batch_holds(run: runs.Run) -> None:
    items = [{"state": {"n": n}, "external_id": f"step-{n}"} for n in range(3)]
    run.send("POST", "versions", {"versions": [*items, {"op": "replace", "state": {}}]})

    assert_clean(run.id, versions=7)


def test_an_unknown_session_is_no_verdict(db: None) -> None:
    with pytest.raises(SessionNotFound):
        verify_session(UNKNOWN)


def make_versions(project: Project, count: int, draw: Random) -> list[str]:
    """Make so many versions by random verbs, in sessions of 200; return their ids."""
    made = []
    while count:
        wanted = min(count, SESSION_VERSIONS)
        made.append(make_session(Scope(project), wanted, draw))
        count -= wanted
    return made


def make_session(scope: Scope, count: int, draw: Random) -> str:
    """Begin a session and go on in random steps, most versions in batches."""
    state = {"n": count, "list": [1, {"id": "a"}], "price": draw.random() * 1e23}
    begun = timeline.create(
        agent="travel", state=state, about=About(), **told(scope, 0)
    )
    done = 1
    while done < count:
        session = {"session_id": begun.session_id, **told(scope, done)}
        patch = random_patch(draw, done)
        match draw.randrange(6):
            case 0 if done > 1:
                timeline.rollback(to=draw.randrange(done - 1), **session)
            case 1:
                timeline.replace(state={**patch, "list": [{"id": done}]}, **session)
            case 2:
                timeline.update(patch=patch, **session)
            case _:
                done += append_batch(draw, min(count - done, 100), session) - 1
        done += 1
    return begun.session_id


def append_batch(draw: Random, count: int, session: dict[str, Any]) -> int:
    items = [
        timeline.BatchItem(
            op=Op.REPLACE if draw.randrange(10) == 0 else Op.UPDATE,
            state=random_patch(draw, at),
            step=Step(reasoning=f"Item {at}"),
        )
        for at in range(count)
    ]
    del session["step"]
    timeline.append_batch(items=items, **session)
    return count


def random_patch(draw: Random, at: int) -> dict[str, Any]:
    value = draw.choice([at, None, "x" * at, [at, 1e23], {"id": at}, "ä\0", 2**70])
    return {f"k{draw.randrange(9)}": value}


def told(scope: Scope, at: int) -> dict[str, Any]:
    """Return what every verb is told."""
    return {
        "act": act_in(scope),
        "step": Step(reasoning=f"Step {at}"),
    }


@pytest.mark.parametrize("share", range(SHARES))
def test_clean_versions_raise_no_alarm(project: Project, share: int) -> None:
    count = CLEAN_VERSIONS // SHARES
    made = make_versions(project, count, Random(SEED + share))

    reports = [verify_session(session_id) for session_id in made]

    assert [one.first_broken for one in reports if one.broken] == []
    assert [one.first_derived for one in reports if one.derived] == []
    assert sum(one.versions for one in reports) == count


def decoded(session_id: str) -> Any:
    stored = checker.read(driver(), session_id)
    return checker.raws(stored), checker.said(stored)


def test_every_flipped_bit_is_found_where_it_is(history: runs.Run) -> None:
    draw, read = Random(SEED), decoded(history.id)
    known = places(history.id)
    drop_constraints()

    for turn in range(FLIPS):
        # Tables by turns: a body's bytes are few values, but most of what is stored.
        table = list(PROVEN)[turn % len(PROVEN)]
        place = picked(draw, [one for one in known if one.table == table])
        with transaction.atomic():
            damage(place, flipped(draw, place.value))
            broken = verify_session(history.id).first_broken
            if broken is None and place.column == "data":
                # One bit of a zstd header means nothing: then the same body is read.
                assert decoded(history.id) == read
            else:
                assert broken is not None, (SEED, turn, place)
                found = broken.turn if table == "timeline_turn" else broken.number
                assert found == (place.number or 0), (SEED, turn, place, broken)
            transaction.set_rollback(True)
    assert_clean(history.id)


@pytest.mark.parametrize(
    ("table", "number", "column", "value", "kind"),
    [
        ("version", 1, "op", "replace", Kind.LEAF),
        ("version", 1, "chain", bytes(32), Kind.CHAIN),
        ("version", 1, "reasoning", "Nobody asked.", Kind.TEXT),
        ("version", 1, "reasoning", None, Kind.TEXT),
        ("version", 1, "model", "small-1", Kind.TEXT),
        ("version", 4, "reason_code", "other", Kind.TEXT),
        ("version", 1, "parent_number", 5, Kind.NUMBER),
        ("version", 2, "created_at", LONG_AGO, Kind.TIME),
        ("version", 2, "created_at", IN_FUTURE, Kind.TIME),
        ("version", 7, "body_number", 6, Kind.BODY),
        ("version", 4, "body_number", 2, Kind.ROLLBACK),
        ("body", 2, "data", b"", Kind.BODY),
        ("body", 2, "salt", bytes(32), Kind.BODY),
        ("session", None, "project_id", "proj_" + "0" * 26, Kind.ORIGIN),
        ("session", None, "origin_session_id", UNKNOWN, Kind.ORIGIN),
        ("session", None, "origin_number", 0, Kind.CHAIN),
        ("session", None, "created_at", LONG_AGO, Kind.TIME),
    ],
)
def test_a_finding_says_what_kind_of_link_is_broken(
    history: runs.Run,
    table: str,
    number: int | None,
    column: str,
    value: Any,
    kind: Kind,
) -> None:
    drop_constraints()

    damage(place_of(history, table, number, column), value)

    broken = verify_session(history.id).first_broken
    assert broken is not None
    assert (broken.number, broken.kind) == (number or 0, kind), broken


def test_a_fork_does_not_follow_from_a_changed_origin(history: runs.Run) -> None:
    fork = history.fork(version=4)
    damage(place_of(history, "version", 4, "chain"), bytes(32))

    for session_id, number in ((history.id, 4), (fork.id, 0)):
        broken = verify_session(session_id).first_broken
        assert broken is not None
        assert (broken.number, broken.kind) == (number, Kind.CHAIN)


def test_a_missing_version_is_found(history: runs.Run) -> None:
    drop_constraints()
    delete(history.id, number=7)

    found = list(verification.findings(history.id))

    assert [(one.number, one.kind) for one in found[:2]] == [
        (8, Kind.NUMBER),
        (8, Kind.CHAIN),
    ]


def test_a_history_that_lost_its_end_is_found_by_the_body_that_is_left(
    run: runs.Run,
) -> None:
    delete(run.id, number=2)

    report = verify_session(run.id)

    assert report.first_broken is not None
    assert (report.first_broken.number, report.first_broken.kind) == (2, Kind.NUMBER)
    assert report.first_derived is not None
    assert "head_number 2, not 1" in report.first_derived.sentence


def test_a_session_that_lost_all_of_it_is_found(run: runs.Run) -> None:
    with erasing(), connection.cursor() as cursor:
        for table in ("change", "version", "body"):
            cursor.execute(
                f"DELETE FROM timeline_{table} WHERE session_id = %s", [run.id]
            )

    (found,) = verification.findings(run.id)

    assert str(found) == f"{run.id} (number): there is no version 0"


@pytest.mark.parametrize(
    ("table", "number", "column"),
    [("version", 3, "requested_at"), ("session", None, "created_at")],
)
def test_a_value_that_cannot_be_read_is_named(
    history: runs.Run, table: str, number: int | None, column: str
) -> None:
    damage(place_of(history, table, number, column), "99999-01-01")

    (found,) = verification.findings(history.id)

    assert (found.number, found.kind) == (number, Kind.UNREADABLE)


def test_a_hold_that_no_verb_makes_is_found_even_with_fitting_digests(
    history: runs.Run,
) -> None:
    """Whoever can write the table can make digests: the rules still say no."""
    drop_constraints()
    stored = checker.read(driver(), history.id)
    versions = stored.versions
    previous = versions[5].chain
    for version in versions[6:]:
        opened = version._replace(hold="paused")
        leaf = checker._claim(stored.session, opened).leaf()
        previous = proof.chain(previous, version.number, leaf)
        for column, value in {
            "hold": "paused",
            "leaf": leaf,
            "chain": previous,
        }.items():
            damage(
                Place("timeline_version", history.id, version.number, column, None),
                value,
            )

    found = list(verification.findings(history.id))

    assert (found[0].number, found[0].kind) == (6, Kind.HOLD)
    assert found[0].sentence == "update made open into paused"


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE timeline_version SET size = size + 1", "its size is"),
        ('UPDATE timeline_version SET flags = \'["shrank", "x"]\'', "its flags are"),
        ("UPDATE timeline_version SET change_count = 9", "changes, not 9"),
        ("UPDATE timeline_version SET changes = '[]'", "the changes shown with it"),
        (
            "UPDATE timeline_version SET changes_truncated = true",
            "whether its changes are complete",
        ),
        ("UPDATE timeline_change SET kind = 9", "the paths recorded"),
        ("UPDATE timeline_change SET value_key = '\\x00'", "the paths recorded"),
        ("DELETE FROM timeline_change", "the paths recorded"),
    ],
)
def test_what_was_derived_is_told_apart_from_the_proof(
    history: runs.Run, statement: str, sentence: str
) -> None:
    project_all()
    table = "change" if "timeline_change" in statement else "version"
    with tampering(f"timeline_{table}"), connection.cursor() as cursor:
        cursor.execute(
            f"{statement} WHERE session_id = %s AND number = 1", [history.id]
        )

    report = verify_session(history.id)

    assert report.is_valid
    assert report.first_derived is not None
    assert (report.first_derived.number, report.first_derived.kind) == (1, Kind.DERIVED)
    assert sentence in report.first_derived.sentence


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("head_number", 9),
        ("status", "active"),
        ("turn_count", 9),
        ("rollback_count", 9),
        ("facets", '{"/city": "Rome"}'),
    ],
)
def test_lists_that_show_something_else_are_found(
    history: runs.Run, column: str, value: Any
) -> None:
    damage(Place("timeline_session", history.id, None, column, None), value)

    (found,) = verification.findings(history.id)

    assert (found.number, found.kind) == (None, Kind.DERIVED)
    assert found.sentence.startswith("lists ")


def test_parts_of_a_session_join_by_their_chains(history: runs.Run) -> None:
    whole, after = verify_session(history.id), None
    parts: list[verification.Report] = []
    while not parts or parts[-1].has_more:
        parts.append(verify_session(history.id, Limits(after=after, versions=5)))
        after = parts[-1].last_number

    assert [(one.versions, one.has_more) for one in parts] == [
        (5, True),
        (5, True),
        (2, False),
    ]
    assert all(one.is_valid and not one.derived for one in parts)
    ends = [whole.chain_start, *(one.chain_end for one in parts)]
    assert [one.chain_start for one in parts] == ends[:-1]
    assert ends[-1] == whole.chain_end
    assert sum(one.bodies for one in parts) == whole.bodies


def test_small_chunks_come_to_the_same_verdict(
    history: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = verify_session(history.id)
    monkeypatch.setattr("apps.timeline.verification.versions.CHUNK", 5)
    monkeypatch.setattr("apps.timeline.verification.rows.BATCH_BYTES", 1)
    monkeypatch.setattr("apps.timeline.verification.contents.KEPT_BYTES", 0)
    heard: list[int] = []

    report = verify_session(history.id, told=heard.append)

    assert report == whole
    # The two turns come last.
    assert heard == [5, 10, 12, 12, 12]


def test_an_append_in_the_meantime_is_no_damage(
    run: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.timeline.verification.versions.CHUNK", 2)

    def write(versions: int) -> None:
        if versions < 8:
            run.patch({"step": versions, "city": str(versions)})
            run.rollback(1)

    report = verify_session(run.id, told=write)

    assert (report.broken, report.derived) == (0, 0)
    assert report.versions >= 8


def test_large_states_end_a_part_early(history: runs.Run) -> None:
    report = verify_session(history.id, Limits(work=1))

    assert (report.versions, report.has_more) == (1, True)


def parts_of(session_id: str, limits: Iterator[Limits]) -> list[verification.Report]:
    """Verify a session part by part, each within the next limits."""
    after: tuple[int | None, int | None] = (None, None)
    reports: list[verification.Report] = []
    while not reports or reports[-1].has_more:
        within = replace(next(limits), after=after[0], after_turn=after[1])
        reports.append(verify_session(session_id, within))
        reached = (reports[-1].last_number, reports[-1].turns.last_number)
        assert reached != after, "a part went no further"
        after = reached
    return reports


@pytest.mark.parametrize("seed", range(12))
def test_parts_find_together_what_one_pass_finds(history: runs.Run, seed: int) -> None:
    random = Random(seed)
    drop_constraints()
    for _ in range(seed % 4):
        place = picked(random, places(history.id))
        damage(place, flipped(random, place.value))
    whole = verify_session(history.id)
    sizes = (Limits(work=random.choice([1, 600, 1500])) for _ in count())

    parts = parts_of(history.id, sizes)

    assert len(parts) > 1
    assert sum(one.versions for one in parts) == whole.versions
    assert sum(one.bodies for one in parts) == whole.bodies
    assert sum(one.turns.count for one in parts) == whole.turns.count
    assert sum(one.broken for one in parts) == whole.broken
    assert sum(one.derived for one in parts) == whole.derived
    assert next((p.first_broken for p in parts if p.first_broken), None) == (
        whole.first_broken
    )
    assert parts[-1].chain_end == whole.chain_end
    assert [one.chain_end for one in parts[:-1]] == [p.chain_start for p in parts[1:]]
    turns = [one.turns for one in parts]
    assert [one.chain_end for one in turns[:-1]] == [t.chain_start for t in turns[1:]]


def test_a_part_that_ends_at_the_head_has_all_of_it(history: runs.Run) -> None:
    whole = verify_session(history.id)

    last = parts_of(history.id, repeat(Limits(versions=4)))[-1]

    assert (last.last_number, last.has_more) == (whole.last_number, False)


def test_work_beyond_a_tenth_of_a_second_waits_at_the_gate(
    history: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "GATED_WORK", 1_000)
    one = gate.Gate(permits=1, seconds=0.01)

    with one.hold(), gate.visiting(one), pytest.raises(Busy):
        verify_session(history.id)


def test_a_part_after_a_broken_body_is_judged_for_itself(history: runs.Run) -> None:
    damage(place_of(history, "body", 2, "data"), b"")

    report = verify_session(history.id, Limits(after=2, versions=1))

    assert report.versions == 1
    assert report.derived == 0
