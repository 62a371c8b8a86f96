"""Gates: an app above may refuse an act, in the transaction that would do it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from apps.core.errors import DomainError
from apps.timeline import hooks
from tests.acts import act_in
from tests.conftest import Answer, make_project
from tests.timeline.runs import Run, assert_refused

pytestmark = pytest.mark.django_db
# Of this connection alone: tables of another database have the same numbers.
LOCKED = (
    "SELECT count(*) FROM pg_locks"
    " WHERE relation = 'timeline_session'::regclass AND pid = pg_backend_pid()"
)


class Refused(DomainError):
    """Not today."""

    code = "permission_denied"


@pytest.fixture
def asked_rollbacks(monkeypatch: pytest.MonkeyPatch) -> list[hooks.RollbackAsked]:
    """What a gate was asked of rollbacks, all of which it lets pass."""
    asked: list[hooks.RollbackAsked] = []
    monkeypatch.setitem(hooks.ROLLBACK, "test", asked.append)
    return asked


def refuse(asked: object) -> None:
    raise Refused


def test_a_gate_is_told_of_a_rollback_what_it_would_do(
    run: Run, asked_rollbacks: list[hooks.RollbackAsked]
) -> None:
    run.rollback(0)

    asked = asked_rollbacks[-1]
    assert (asked.session_id, asked.head_number, asked.to) == (run.id, 2, 0)
    assert asked.undo_of is None
    assert asked.act.actor.is_agent


def test_a_gate_is_told_which_rollback_is_taken_back(
    run: Run, asked_rollbacks: list[hooks.RollbackAsked]
) -> None:
    run.rollback(0)

    run.post("undo", {})

    assert (asked_rollbacks[-1].to, asked_rollbacks[-1].undo_of) == (2, 3)


@pytest.mark.parametrize("path", ["rollback", "state/rollback"])
def test_a_refused_rollback_leaves_nothing_behind(
    run: Run, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(hooks.ROLLBACK, "test", refuse)

    answer = run.client.post(run.path(path), {"version": 0})

    assert_refused(answer, 403, "permission_denied")
    assert run.head == 2
    assert run.state == {"step": 2, "city": "NYC"}


def test_a_gate_is_asked_under_the_lock_of_the_session(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []

    def look(asked: hooks.RollbackAsked) -> None:
        assert connection.in_atomic_block
        with connection.cursor() as cursor:
            cursor.execute(f"{LOCKED} AND mode = 'RowShareLock'")
            held.append(cursor.fetchone()[0])

    monkeypatch.setitem(hooks.ROLLBACK, "test", look)

    run.rollback(0)

    assert held
    assert all(held)


def test_a_replayed_rollback_asks_nobody(
    run: Run, asked_rollbacks: list[hooks.RollbackAsked]
) -> None:
    body, headers = {"version": 0}, {"Idempotency-Key": "again"}
    run.client.post(run.path("rollback"), body, **headers)
    asked_rollbacks.clear()

    answer = run.client.post(run.path("rollback"), body, **headers)

    assert answer.headers["Idempotent-Replayed"] == "true"
    assert asked_rollbacks == []


APPROVAL = {"object": "approval", "id": "appr_1"}


@pytest.mark.parametrize(
    ("gates", "answer"),
    [
        ([], None),
        ([lambda asked: None], None),
        ([lambda asked: None, lambda asked: APPROVAL], APPROVAL),
        ([lambda asked: APPROVAL, refuse], APPROVAL),
    ],
)
def test_the_first_approval_that_a_gate_wants_counts(
    gates: list[Callable[..., Any]], answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, gate in enumerate(gates):
        monkeypatch.setitem(hooks.BEGIN, f"test{number}", gate)

    assert hooks.ask_begin(an_effect()) == answer


def test_a_gate_refuses_an_effect_before_a_later_one_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(hooks.BEGIN, "test0", refuse)
    monkeypatch.setitem(hooks.BEGIN, "test1", lambda asked: APPROVAL)

    with pytest.raises(Refused):
        hooks.ask_begin(replace(an_effect(), attempt=2))


def an_effect() -> hooks.BeginAsked:
    return hooks.BeginAsked(
        act=act_in(make_project("gated")),
        session_id="sess_1",
        agent_id="agent_1",
        head_number=3,
        key="mail-1",
        tool="send_mail",
        effect_class="irreversible",
        arguments={"to": "ann"},
        number=3,
        attempt=1,
    )


WRITES: list[Callable[[Run], Answer]] = [
    lambda run: run.client.patch(run.path("state"), {"state": {"n": 1}}),
    lambda run: run.client.put(run.path("state"), {"state": {"n": 1}}),
    lambda run: run.client.post(run.path("turns"), {"input": "a", "output": "b"}),
    lambda run: run.client.post(
        run.path("versions"), {"versions": [{"state": {"n": 1}}, {"state": {"n": 2}}]}
    ),
]
OPS = [["update"], ["replace"], ["turn"], ["update", "update"]]


@pytest.mark.parametrize(("write", "ops"), list(zip(WRITES, OPS, strict=True)))
def test_a_gate_is_asked_before_every_write(
    run: Run,
    write: Callable[[Run], Answer],
    ops: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[hooks.AppendAsked] = []
    monkeypatch.setitem(hooks.APPEND, "test", asked.append)

    assert write(run).status in (200, 201)

    assert [one.op for one in asked] == ops
    assert [one.head_number for one in asked] == list(range(2, 2 + len(ops)))
    assert {one.session_id for one in asked} == {run.id}


@pytest.mark.parametrize("write", WRITES)
def test_a_refused_write_leaves_nothing_behind(
    run: Run, write: Callable[[Run], Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(hooks.APPEND, "test", refuse)

    assert_refused(write(run), 403, "permission_denied")
    assert run.head == 2
    assert run.get("turns")["data"] == []


def test_a_write_is_asked_for_under_the_lock(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []

    def look(asked: hooks.AppendAsked) -> None:
        assert connection.in_atomic_block
        with connection.cursor() as cursor:
            cursor.execute(f"{LOCKED} AND mode = 'RowShareLock'")
            held.append(cursor.fetchone()[0])

    monkeypatch.setitem(hooks.APPEND, "test", look)

    run.patch({"n": 1})

    assert held == [1]


def test_a_replayed_write_asks_nobody(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, headers = {"state": {"n": 1}}, {"Idempotency-Key": "again"}
    first = run.client.patch(run.path("state"), body, **headers)
    monkeypatch.setitem(hooks.APPEND, "test", refuse)

    again = run.client.patch(run.path("state"), body, **headers)

    assert (again.status, again.body["version"]) == (200, first.body["version"])


def test_a_gate_is_told_of_a_fork(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[hooks.ForkAsked] = []
    monkeypatch.setitem(hooks.FORK, "test", asked.append)

    run.fork(version=1)

    (one,) = asked
    assert (one.session_id, one.number, one.agent) == (run.id, 1, None)


def test_a_refused_fork_is_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(hooks.FORK, "test", refuse)

    answer = run.client.post(run.path("fork"), {"version": 1})

    assert_refused(answer, 403, "permission_denied")
    assert len(run.client.get("/v1/sessions").body["data"]) == 1
