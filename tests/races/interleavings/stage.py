"""Stops writers before the statements that decide, and lets one go on at a time.

A writer is the product's own code in a thread with a connection of its own. The driver
is stopped at the driver's door: before a statement is sent, and before a transaction
ends. Whether a writer that was let go waits for a lock is asked of PostgreSQL.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Set
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

import psycopg
import pytest
from django.db import connection

from apps.core.database.statements import PreparedQuery

PATIENCE = 120  # seconds that something must happen in; only a bug reaches it
GLANCE = 0.003  # seconds before PostgreSQL is asked whether somebody waits

# The statements that decide, by what stands in them. Bodies and numbered versions do
# not change, so reading them sooner or later makes no difference.
STEPS = (
    ("store", re.compile(r"timeline_(append|append_batch|create_session)_v\d")),
    ("lease", re.compile(r"timeline_lease_v\d")),
    ("effect", re.compile(r"timeline_effect_(begin|finish|lapse)_v\d")),
    ("lock", re.compile(r"SELECT 1 FROM timeline_session .* FOR NO KEY UPDATE")),
    # Who has claimed it reads it again, which is no step: it does not change.
    (
        "look for the key",
        re.compile(r'k\.request_digest|FROM "timeline_requestkey".* ORDER BY'),
    ),
    ("claim the key", re.compile(r'INSERT INTO "timeline_requestkey"')),
    ("record", re.compile(r"pg_advisory_xact_lock")),
)
READS = re.compile(r"AS head_number")
SHOW = "look at a version"

_here = threading.local()
Result = TypeVar("Result")


def step_of(query: str, params: Any) -> str | None:
    """Name the step that a statement is, None where it decides nothing."""
    for name, pattern in STEPS:
        if pattern.search(query):
            return name
    if READS.search(query):
        return "read the head" if params["number"] is None else SHOW
    return None


class Seat:
    """A thread with a connection of its own, in which one writer after another acts."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.thread = ThreadPoolExecutor(1)
        self.act: Future[Any] | None = None
        self.pid = self.thread.submit(self._connect).result(PATIENCE)
        self.next_step: str | None = None

    def begin(self, act: Callable[[], Any]) -> None:
        self.next_step = None
        self.act = self.thread.submit(self._run, act)
        self.act.add_done_callback(lambda _: self.stage.tell())

    @property
    def is_done(self) -> bool:
        return self.act is not None and self.act.done()

    @property
    def is_stopped(self) -> bool:
        return self.next_step is not None

    def stop_before(self, step: str) -> None:
        """Wait, in the writer's thread, until the stage lets it go on."""
        with self.stage.changed:
            self.next_step = step
            self.stage.changed.notify_all()
            has_gone_on = self.stage.changed.wait_for(
                lambda: self.next_step is None, PATIENCE
            )
        assert has_gone_on, f"Nobody let it {step}."

    def close(self) -> None:
        self.thread.submit(_disconnect).result(PATIENCE)
        self.thread.shutdown()

    def _connect(self) -> int:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            # The stage decides who waits for how long.
            cursor.execute("SET lock_timeout = 0")
            cursor.execute("SET idle_in_transaction_session_timeout = 0")
        return int(connection.connection.info.backend_pid)

    def _run(self, act: Callable[[], Any]) -> Any:
        _here.seat = self
        try:
            return act()
        finally:
            _here.seat = None


def _disconnect() -> None:
    connection.close()


@dataclass
class Played:
    """What one order was: who did what, who waited, and what was picked of how many.

    `began` and `done` say after how many steps of all a writer went on first, and had
    its answer.
    """

    steps: list[str] = field(default_factory=list)
    picks: list[tuple[int, int]] = field(default_factory=list)
    began: dict[str, int] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    told: dict[str, Any] = field(default_factory=dict)

    def came_first(self, one: str, other: str) -> bool:
        """Say whether one had its answer before the other began."""
        return self.done[one] <= self.began[other]

    def __str__(self) -> str:
        return "\n".join(f"  {at:2}. {step}" for at, step in enumerate(self.steps))


class Stage:
    """Seats for writers, and a connection that sees who waits for whom."""

    def __init__(self, seats: int, observer: psycopg.Connection[Any]) -> None:
        self.changed = threading.Condition()
        self.observer = observer
        self.seats = [Seat(self) for _ in range(seats)]
        self.without: Set[str] = frozenset()

    def tell(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def play(
        self,
        acts: dict[str, Callable[[], Any]],
        picks: list[int],
        without: Set[str],
    ) -> Played:
        """Run the writers; go on with the one that is picked, then with the first.

        They do not stop before the steps of `without`.
        """
        self.without = without
        played = Played()
        taken = dict(zip(acts, self.seats, strict=False))
        for name, act in acts.items():
            taken[name].begin(act)
        while self._settled(taken, played):
            ready = [name for name in acts if taken[name].is_stopped]
            place = len(played.picks)
            pick = picks[place] if place < len(picks) else 0
            played.picks.append((pick, len(ready)))
            self._let_go(ready[pick], taken[ready[pick]], played)
        for name, seat in taken.items():
            assert seat.act is not None
            played.told[name] = seat.act.result(0)
        return played

    def aside(self, act: Callable[[], Result]) -> Result:
        """Do something at once on the first seat, whose connection commits."""
        return self.seats[0].thread.submit(act).result(PATIENCE)

    def close(self) -> None:
        for seat in self.seats:
            seat.close()

    def _let_go(self, name: str, seat: Seat, played: Played) -> None:
        played.began.setdefault(name, len(played.steps))
        played.steps.append(f"{name}: {seat.next_step}")
        with self.changed:
            seat.next_step = None
            self.changed.notify_all()

    def _settled(self, taken: dict[str, Seat], played: Played) -> bool:
        """Wait until all have stopped, wait for another, or are done; say if any has
        stopped."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with self.changed:
                self.changed.wait_for(lambda: not self._moving(taken), GLANCE)
            for name, seat in taken.items():
                if seat.is_done:
                    played.done.setdefault(name, len(played.steps))
            moving = self._moving(taken)
            stopped = any(seat.is_stopped for seat in taken.values())
            if not moving:
                return stopped
            # With nobody left to let go it is a deadlock, which PostgreSQL ends.
            if stopped and all(self._waits(seat, taken) for seat in moving):
                self._note(moving, taken, played)
                return True
        raise AssertionError(f"Nobody goes on any more:\n{played}")

    def _moving(self, taken: dict[str, Seat]) -> list[Seat]:
        return [s for s in taken.values() if not s.is_stopped and not s.is_done]

    def _waits(self, seat: Seat, taken: dict[str, Seat]) -> bool:
        (blocking,) = self.observer.execute(
            "SELECT pg_blocking_pids(%s)", [seat.pid]
        ).fetchone() or ([],)
        return bool({other.pid for other in taken.values()} & set(blocking))

    def _note(self, moving: list[Seat], taken: dict[str, Seat], played: Played) -> None:
        waiting = [name for name, seat in taken.items() if seat in moving]
        if played.steps and "waits" not in played.steps[-1]:
            played.steps[-1] += f"  ({', '.join(waiting)} waits)"


def stop_writers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop whoever sits on a seat before each statement that decides."""
    execute, often = psycopg.Cursor.execute, PreparedQuery.rows

    def stopped(cursor: Any, query: Any, params: Any = None, **options: Any) -> Any:
        if isinstance(query, str):
            _stop_before(query, params)
        return execute(cursor, query, params, **options)

    def stopped_without_cursor(
        statement: PreparedQuery, connection: Any, params: Any
    ) -> Any:
        # Elsewhere it leaves the statement to a cursor.
        if connection.autocommit and connection.prepare_threshold is not None:
            _stop_before(statement.text, params)
        return often(statement, connection, params)

    monkeypatch.setattr(psycopg.Cursor, "execute", stopped)
    monkeypatch.setattr(PreparedQuery, "rows", stopped_without_cursor)
    for end in ("commit", "rollback"):
        monkeypatch.setattr(psycopg.Connection, end, _stopped_end(end))


def _stop_before(query: str, params: Any) -> None:
    seat = getattr(_here, "seat", None)
    step = step_of(query, params) if seat else None
    if step and step not in seat.stage.without:
        seat.stop_before(step)


def _stopped_end(end: str) -> Callable[[Any], None]:
    really = getattr(psycopg.Connection, end)

    def stopped(self: Any) -> None:
        seat = getattr(_here, "seat", None)
        is_open = self.info.transaction_status != psycopg.pq.TransactionStatus.IDLE
        if seat and is_open and end not in seat.stage.without:
            seat.stop_before(end)
        really(self)

    return stopped
