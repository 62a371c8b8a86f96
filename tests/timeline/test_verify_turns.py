"""Verification finds what was changed about turns, and nothing where nothing was."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from apps.accounts.models import Project
from apps.audit.models import Event
from apps.core.actors import Actor, ActorKind
from apps.timeline import bodies, verification
from apps.timeline import operations as timeline
from apps.timeline.models import Session, Turn
from apps.timeline.verification import Kind, Limits, verify_session
from apps.timeline.versions import proof
from apps.timeline.versions.reading import Step
from tests import proof as checker
from tests.acting import erasing
from tests.acts import act_in
from tests.timeline import runs
from tests.timeline.damage import TURN_PROOF, Place, damage, drop_constraints, unchain

pytestmark = pytest.mark.django_db
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def talk(run: runs.Run) -> runs.Run:
    """A session with the turns 1 to 4 on the versions 3, 3, 4 and 4."""
    said = {"input": {"type": "ask", "content": "Where?"}, "output": "Oslo."}
    given = {**said, "state_before": run.state, "state_after": {"city": "Oslo"}}
    answer = run.client.post(
        run.path("turns"),
        {**given, "reasoning": "Cheaper.", "trace_id": "trace-1"},
        Idempotency_Key="turn-1",
    )
    assert answer.status == 201
    run.turn("And then?", "Home.", reasoning="It is late.")
    run.turn("Really?", "Bergen.", state_after={"city": "Bergen"})
    run.turn(metadata={"latency_ms": 3})
    return run


def change(run: runs.Run, turn_number: int, column: str, value: Any) -> None:
    damage(Place("timeline_turn", run.id, turn_number, column, None), value)


def execute(statement: str, *params: Any) -> None:
    with erasing(), connection.cursor() as cursor:
        cursor.execute(statement, params)
        assert cursor.rowcount > 0


def found(run: runs.Run) -> list[tuple[int | None, Kind]]:
    """Return what does not hold of the proof: of which turn, and how."""
    findings = [(one.turn, one.kind) for one in verification.findings(run.id)]
    return [one for one in findings if one[1] is not Kind.DERIVED]


def history(run: runs.Run) -> checker.History:
    connection.ensure_connection()
    return checker.read(connection.connection, run.id)


def test_turns_hold_and_are_counted(talk: runs.Run) -> None:
    report = verify_session(talk.id)

    assert (report.broken, report.derived, report.has_more) == (0, 0, False)
    turns, stored = report.turns, history(talk).turns
    assert (turns.count, turns.unchained, turns.last_number) == (4, 0, 4)
    assert turns.chain_start == proof.before_turns(talk.id)
    assert turns.chain_end == stored[-1].chain
    assert [turn.head_number for turn in stored] == [3, 3, 4, 4]


@pytest.mark.parametrize(
    ("column", "value", "kind"),
    [
        ("id", "turn_" + "0" * 26, Kind.LEAF),
        ("head_number", 1, Kind.LEAF),
        ("made_version", False, Kind.LEAF),
        ("before_number", None, Kind.LEAF),
        ("state_after_sent", False, Kind.LEAF),
        ("actor_kind", "user", Kind.LEAF),
        ("actor_id", "key_somebody", Kind.LEAF),
        ("trace_id", "another", Kind.LEAF),
        ("input_type", "text", Kind.LEAF),
        ("output_type", "ask", Kind.LEAF),
        ("request_key", "turn-2", Kind.LEAF),
        ("request_key", None, Kind.LEAF),
        ("requested_at", LONG_AGO, Kind.LEAF),
        ("reasoning_digest", bytes(32), Kind.LEAF),
        ("commitment", bytes(32), Kind.LEAF),
        ("leaf", bytes(32), Kind.CHAIN),
        ("chain", bytes(32), Kind.CHAIN),
        ("reasoning", "Nobody asked.", Kind.TEXT),
        ("reasoning", None, Kind.TEXT),
        ("salt", bytes(32), Kind.BODY),
        ("data", b"", Kind.BODY),
        ("size", 1, Kind.BODY),
        ("codec", 1, Kind.BODY),
        ("codec", 3, Kind.BODY),
        ("created_at", LONG_AGO, Kind.TIME),
        *((column, None, Kind.LEAF) for column in TURN_PROOF),
    ],
)
def test_a_changed_column_is_found_where_it_is(
    talk: runs.Run, column: str, value: Any, kind: Kind
) -> None:
    change(talk, 1, column, value)

    report = verify_session(talk.id)

    assert report.first_broken is not None
    broken = report.first_broken
    assert (broken.turn, broken.kind, broken.number) == (1, kind, None), broken
    assert str(broken).startswith(f"{talk.id} turn 1 ({kind})")
    assert report.derived == 0


def test_other_parts_of_the_same_size_are_found(talk: runs.Run) -> None:
    raw = bodies.frame([bodies.Part("input", "application/json", b'"Yes"')])
    stored = bodies.encode(raw, number=0, base=None, salt=bytes(32))
    for column in ("data", "size", "codec"):
        change(talk, 2, column, getattr(stored, column))

    assert found(talk) == [(2, Kind.BODY)]


def test_a_turn_cut_out_of_the_middle_is_found(talk: runs.Run) -> None:
    execute("DELETE FROM timeline_turn WHERE turn_number = 2")

    assert found(talk) == [(3, Kind.NUMBER), (3, Kind.CHAIN)]


def test_closing_the_gap_does_not_help(talk: runs.Run) -> None:
    execute("DELETE FROM timeline_turn WHERE turn_number = 2")
    for turn_number in (3, 4):
        change(talk, turn_number, "turn_number", turn_number - 1)

    assert found(talk)[0] == (2, Kind.CHAIN)


def test_a_missing_first_turn_is_found_also_by_the_version_that_it_made(
    talk: runs.Run,
) -> None:
    execute("DELETE FROM timeline_turn WHERE turn_number = 1")

    *of_turns, last = verification.findings(talk.id)

    assert (of_turns[0].turn, of_turns[0].kind) == (2, Kind.NUMBER)
    assert str(last) == f"{talk.id} v3 (turn): the turn that made it is missing"


def test_a_last_turn_that_made_a_version_is_missed_there(talk: runs.Run) -> None:
    execute("DELETE FROM timeline_turn WHERE turn_number > 2")

    report = verify_session(talk.id)

    assert report.first_broken is not None
    assert (report.first_broken.number, report.broken) == (4, 1)
    # What lists count is derived, and still says how many there were.
    assert report.first_derived is not None
    assert "turn_count 4, not 2" in report.first_derived.sentence


def test_an_inserted_turn_is_found(talk: runs.Run) -> None:
    for turn_number in (4, 3):
        change(talk, turn_number, "turn_number", turn_number + 1)
    # Whoever serves requests may insert.
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO timeline_turn SELECT (jsonb_populate_record(t, %s)).*"
            " FROM timeline_turn t WHERE turn_number = 2",
            ['{"turn_number": 3, "id": "turn_other"}'],
        )

    assert found(talk)[0] == (3, Kind.CHAIN)


@pytest.mark.parametrize("turn_number", [0, -7])
def test_a_turn_below_the_first_number_is_found(
    talk: runs.Run, turn_number: int
) -> None:
    change(talk, 4, "turn_number", turn_number)

    assert found(talk) == [(turn_number, Kind.NUMBER)]


def test_swapped_turns_are_found(talk: runs.Run) -> None:
    for before, after in ((2, 9), (3, 2), (9, 3)):
        change(talk, before, "turn_number", after)

    assert found(talk)[0] == (2, Kind.CHAIN)


def test_a_turn_moved_to_another_session_is_found_in_both(
    talk: runs.Run, begin: runs.Begin
) -> None:
    other = begin({"city": "Rome"})
    other.turn()
    execute("DELETE FROM timeline_turn WHERE session_id = %s", other.id)
    execute(
        "UPDATE timeline_turn SET session_id = %s WHERE turn_number = 1"
        " AND session_id = %s",
        other.id,
        talk.id,
    )

    assert found(other)[:2] == [(1, Kind.CHAIN), (1, Kind.LEAF)]
    assert found(talk)[:2] == [(2, Kind.NUMBER), (2, Kind.CHAIN)]


def forged(run: runs.Run, turn_number: int, **columns: Any) -> None:
    """Rewrite a turn, and all digests after it, as its owner could."""
    drop_constraints()
    for column, value in columns.items():
        change(run, turn_number, column, value)
    stored = history(run)
    previous = proof.before_turns(run.id)
    for turn in stored.turns:
        leaf = checker.turn_leaf(stored.session.project_id, turn)
        previous = proof.turn_chain(previous, turn.turn_number, leaf)
        change(run, turn.turn_number, "leaf", leaf)
        change(run, turn.turn_number, "chain", previous)


def test_a_forged_leaf_is_found_at_its_chain(talk: runs.Run) -> None:
    stored = history(talk)
    turn = stored.turns[1]._replace(actor_id="key_somebody")
    change(talk, 2, "actor_id", "key_somebody")
    change(talk, 2, "leaf", checker.turn_leaf(stored.session.project_id, turn))

    assert found(talk) == [(2, Kind.CHAIN)]


@pytest.mark.parametrize(
    ("turn_number", "columns", "sentence"),
    [
        (2, {"head_number": 9}, "v9, which it left as the head, is missing"),
        (2, {"head_number": 2}, "it cannot have left v2 after v3"),
        (2, {"made_version": True}, "it cannot have left v3 after v3"),
        (1, {"head_number": 2, "before_number": 1}, "v2 was not made by a turn"),
        (1, {"before_number": 3}, "it cannot have begun with v3"),
    ],
)
def test_a_head_that_a_turn_cannot_have_left_is_found_even_with_fitting_digests(
    talk: runs.Run, turn_number: int, columns: dict[str, Any], sentence: str
) -> None:
    forged(talk, turn_number, **columns)

    first = next(verification.findings(talk.id))

    assert (first.turn, first.kind) == (turn_number, Kind.TURN)
    assert first.sentence == sentence


def test_turns_from_before_there_was_a_chain_are_no_damage(talk: runs.Run) -> None:
    unchain(talk.id, 1, 2, 3, 4)
    assert found(talk) == []

    after = [talk.turn(), talk.turn(state_after={"city": "Voss"})]

    report = verify_session(talk.id)
    assert (report.broken, report.derived) == (0, 0)
    assert (report.turns.count, report.turns.unchained) == (6, 4)
    assert [turn["turn_number"] for turn in after] == [5, 6]
    stored = history(talk).turns
    assert stored[4].chain == proof.turn_chain(
        proof.before_turns(talk.id), 5, stored[4].leaf
    )
    assert checker.problems(history(talk)) == []


def test_what_can_be_seen_of_them_is_verified(talk: runs.Run) -> None:
    unchain(talk.id, 1, 2, 3, 4)
    change(talk, 2, "data", b"damaged")
    execute("DELETE FROM timeline_turn WHERE turn_number = 3")

    assert found(talk)[:2] == [(2, Kind.BODY), (4, Kind.NUMBER)]


@pytest.mark.parametrize("emptied", [(2,), (4,), (2, 3, 4)])
def test_a_turn_cannot_be_put_back_to_before_there_was_a_chain(
    talk: runs.Run, emptied: tuple[int, ...]
) -> None:
    unchain(talk.id, *emptied)

    assert found(talk)[0] == (emptied[0], Kind.CHAIN)
    assert found(talk)[0][0] in [
        int(said.split()[1].rstrip(":")) for said in checker.problems(history(talk))
    ]


def test_nor_can_the_first_ones_be_where_others_follow(talk: runs.Run) -> None:
    unchain(talk.id, 1, 2)

    assert found(talk) == [(3, Kind.CHAIN)]


def test_reasoning_can_be_emptied_and_leaf_and_chain_recompute(talk: runs.Run) -> None:
    execute("UPDATE timeline_turn SET reasoning = NULL WHERE turn_number = 2")

    assert checker.problems(history(talk)) == [
        "turn 2: the reasoning is not what was digested"
    ]
    assert found(talk) == [(2, Kind.TEXT)]


def test_a_turn_of_a_person_holds_as_one_of_a_key_does(
    talk: runs.Run, project: Project
) -> None:
    someone = Actor(kind=ActorKind.USER, id="user_1", label="Ann")
    timeline.add_turn(
        act=act_in(project, someone),
        session_id=talk.id,
        exchange=timeline.Exchange(input={"content": "?"}, output={"content": "!"}),
        state_after={"city": "Voss"},
        step=Step(reasoning="By hand."),
    )

    assert [turn.actor_kind for turn in history(talk).turns] == [*["key"] * 4, "user"]
    assert checker.problems(history(talk)) == found(talk) == []


@pytest.mark.parametrize("state_after", [None, {"city": "Voss"}])
def test_a_clock_that_went_back_is_no_damage_and_makes_no_turn_earlier(
    talk: runs.Run, project: Project, state_after: Any
) -> None:
    """The turn before it made no version, so it is later than the head."""
    before = Turn.objects.of_session(talk.id).get(turn_number=4)
    stored = timeline.add_turn(
        act=act_in(project, now=LONG_AGO),
        session_id=talk.id,
        exchange=timeline.Exchange(input={}, output={}),
        state_after=state_after,
        step=Step(),
    ).turn

    *_, head = history(talk).versions
    assert head.created_at < before.created_at
    assert stored is not None
    turn = Turn.objects.of_session(talk.id).get(turn_number=5)
    event = Event.objects.get(stream_id=talk.id, resource_id=turn.id)
    session = Session.objects.get(id=talk.id)
    assert turn.created_at == stored.created_at == before.created_at
    assert event.created_at == session.updated_at == before.created_at
    assert checker.problems(history(talk)) == found(talk) == []


def test_a_turn_that_is_older_than_the_one_before_it_is_found(talk: runs.Run) -> None:
    before = Turn.objects.of_session(talk.id).get(turn_number=3)
    change(talk, 4, "created_at", before.created_at - timedelta(microseconds=1))

    assert found(talk) == [(4, Kind.TIME)]


def test_the_columns_of_a_session_never_go_back_in_time(
    talk: runs.Run, project: Project
) -> None:
    before = Session.objects.get(id=talk.id).updated_at
    timeline.update(
        act=act_in(project, now=LONG_AGO),
        session_id=talk.id,
        patch={"city": "Voss"},
        remove=(),
        step=Step(),
    )

    assert Session.objects.get(id=talk.id).updated_at == before


def test_a_repeated_request_adds_nothing_to_the_chain(talk: runs.Run) -> None:
    body = {"input": "Book it", "output": "Done", "state_after": {"city": "Rome"}}
    first, again = [
        talk.client.post(talk.path("turns"), body, Idempotency_Key="twice")
        for _ in range(2)
    ]

    assert (first.status, again.status) == (201, 201)
    assert first.content == again.content
    assert verify_session(talk.id).turns.count == 5
    checker.assert_proven(connection.connection, talk.id)


def test_a_turn_is_told_as_it_is_read(run: runs.Run, project: Project) -> None:
    receipts = [
        timeline.add_turn(
            act=act_in(project),
            session_id=run.id,
            exchange=timeline.Exchange(input={"n": n}, output={}),
            state_after={"n": n // 2},
            step=Step(reasoning="Because."),
        )
        for n in range(3)
    ]

    for receipt in receipts:
        told = receipt.turn
        assert told is not None
        read = Turn.objects.get(session_id=run.id, turn_number=told.turn_number)
        for field in Turn._meta.concrete_fields:
            mine, stored = (getattr(one, field.attname) for one in (told, read))
            if isinstance(stored, memoryview):
                stored = bytes(stored)
            assert mine == stored, field.name


def test_a_value_that_cannot_be_read_is_named(talk: runs.Run) -> None:
    change(talk, 3, "created_at", "99999-01-01")

    assert found(talk) == [(3, Kind.UNREADABLE)]


def test_after_an_unreadable_turn_there_is_no_part(talk: runs.Run) -> None:
    change(talk, 3, "created_at", "99999-01-01")

    report = verify_session(talk.id, Limits(after=4, after_turn=3))

    assert (report.broken, report.has_more) == (1, False)


def test_each_part_looks_at_one_turn_at_least(talk: runs.Run) -> None:
    change(talk, 4, "actor_id", "somebody")
    change(talk, 2, "actor_id", "somebody")
    whole, after = verify_session(talk.id), Limits(work=1)
    parts = [verify_session(talk.id, after)]
    while parts[-1].has_more:
        last = parts[-1]
        after = Limits(
            after=last.last_number, after_turn=last.turns.last_number, work=1
        )
        parts.append(verify_session(talk.id, after))

    # One for each of the versions 0 to 4, then one for each turn.
    assert [one.versions for one in parts] == [1, 1, 1, 1, 1, 0, 0, 0, 0]
    assert [one.turns.count for one in parts] == [0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert [one.broken for one in parts] == [0, 0, 0, 0, 0, 0, 1, 0, 1]
    turns = [one.turns for one in parts]
    assert [one.chain_end for one in turns[:-1]] == [t.chain_start for t in turns[1:]]
    assert turns[-1].chain_end == whole.turns.chain_end


def test_lists_are_compared_by_one_part_alone(talk: runs.Run) -> None:
    damage(Place("timeline_session", talk.id, None, "turn_count", None), 9)

    first = verify_session(talk.id, Limits(versions=5, work=1 << 40))
    again = verify_session(talk.id, Limits(after=4, after_turn=0))

    assert (first.derived, again.derived) == (1, 0)
    assert again.turns.count == 4


def test_a_turn_in_the_meantime_is_no_damage(
    talk: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.timeline.verification.turns.walk.CHUNK", 1)

    def write(_: int) -> None:
        if talk.head < 8:
            talk.turn(state_after={"n": talk.head})

    report = verify_session(talk.id, told=write)

    assert (report.broken, report.derived) == (0, 0)
    assert report.turns.count == 8
