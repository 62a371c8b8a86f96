"""The turns of a session within a window, each with those before it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import datetime

from apps.guards.detecting import EARLIER, Moment, TurnSeen
from apps.guards.live.turns import seen_of
from apps.guards.trying.windows import Seen, Window
from apps.timeline.models import Session, Turn

# What is read of a turn.
OF_A_TURN = (
    *("session_id", "turn_number", "head_number", "made_version", "requested_at"),
    *("created_at", "codec", "data", "size", "salt"),
)


class Turns:
    """The turns of a session within a window, each with those before it."""

    def __init__(self, session: Session, window: Window) -> None:
        self._session, self._window = session, window
        self._taken: set[int] = set()
        self._by_version: dict[int, TurnSeen] = {}
        self._rows: list[tuple[int, datetime, TurnSeen]] = []
        self._before: dict[int, tuple[TurnSeen, ...]] = {}
        self._read()

    def _read(self) -> None:
        mine = Turn.objects.of_session(self._session.id).only(*OF_A_TURN)
        last: deque[TurnSeen] = deque(maxlen=EARLIER)
        start = self._start()
        if start is None:
            return
        for row in mine.filter(turn_number__gte=start).order_by("turn_number"):
            seen = seen_of(row)
            if self._window.has(row.created_at):
                at = row.requested_at or row.created_at
                self._before[seen.number] = tuple(reversed(last))
                self._rows.append((row.head_number, at, seen))
                if row.made_version:
                    self._by_version[row.head_number] = seen
            last.append(seen)

    def _start(self) -> int | None:
        """Return from which turn on they are read; None where none is looked at."""
        window = self._window
        if window.since <= self._session.created_at and not window.lowest:
            return 0
        inside = Turn.objects.of_session(self._session.id).filter(
            created_at__gte=window.since,
            created_at__lt=window.until,
            head_number__gte=window.lowest,
        )
        numbers = inside.order_by("turn_number").values_list("turn_number", flat=True)
        first = numbers.first()
        return None if first is None else first - EARLIER

    def of_version(self, number: int) -> TurnSeen | None:
        """Return the turn that made a version, if one did."""
        found = self._by_version.get(number)
        if found is not None:
            self._taken.add(found.number)
        return found

    def before(self, turn: TurnSeen | None) -> tuple[TurnSeen, ...]:
        """Return the turns before one, the newest first."""
        return () if turn is None else self._before[turn.number]

    def left(self) -> Iterator[Seen]:
        """Yield the turns that were not looked at with a version."""
        for head, at, turn in self._rows:
            if turn.number not in self._taken:
                yield Seen(
                    number=head,
                    turn_number=turn.number,
                    at=at,
                    moment=Moment(at=at, turn=turn, earlier=self.before(turn)),
                )
