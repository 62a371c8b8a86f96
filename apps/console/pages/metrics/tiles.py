"""The numbers on top of the page, each with how it moved since the time before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from apps.console.pages.metrics.charts import duration, percent
from apps.metrics.figures import MINIMUM_SAMPLE, Figures

SAME = "as before"


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """How a number moved, in words; `tone` is worse, better, or nothing."""

    words: str
    tone: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tile:
    """One number with what it counts, and its change where one is compared with."""

    title: str
    value: str
    detail: str
    change: Change | None


def tiles(now: Figures, before: Figures | None) -> list[Tile]:
    """Return the numbers of a time; the first is the rate, which has a band."""
    return [
        _tile(title, detail(now), value, change, now, before)
        for title, detail, value, change in NUMBERS
    ]


def points(now: Figures, before: Figures | None) -> Change | None:
    """Say by how many percentage points the rollback rate moved; None: not compared."""
    return None if before is None else _rate(lambda one: one.rate)(now, before)


def percent_or_none(rate: float | None) -> str:
    return "none" if rate is None else percent(rate)


def duration_or_none(seconds: float | None) -> str:
    return "none" if seconds is None else duration(seconds)


def decimal_or_none(number: float | None) -> str:
    return "none" if number is None else f"{number:,.1f}"


def milliseconds_or_none(number: float | None) -> str:
    """Write how long a turn took; from a second on in seconds."""
    if number is None:
        return "none"
    return f"{number:,.0f} ms" if number < 1_000 else f"{number / 1_000:,.1f} s"


def latency_tile(
    now: Figures, before: Figures | None, p95: float | None, p95_before: float | None
) -> Tile:
    """Return how long turns took: 95 % of them at most, the mean, and the slowest."""
    mean = milliseconds_or_none(now.mean_latency_ms)
    slowest = milliseconds_or_none(now.longest_latency_ms)
    told = f"mean {mean}, slowest {slowest}, of {now.timed:,} turns"
    return Tile(
        title="Latency, 95 % within",
        value=milliseconds_or_none(None if now.uncounted else p95),
        detail=_counted(now, told) if now.timed else "no turn said how long it took",
        change=None
        if before is None
        else _uncounted(now, before) or _moved(p95, p95_before, milliseconds_or_none),
    )


Value = Callable[[Figures], float | None]
Moved = Callable[[Figures, Figures], Change]


def _rate(value: Value, *, is_good: bool = False) -> Moved:
    """Return how to say a change of a rate, of which more is good or bad.

    Of few sessions it has no tone: one more of them would turn it.
    """

    def said(now: Figures, before: Figures) -> Change:
        new, old = value(now), value(before)
        if new is None or old is None:
            return _unknown(old)
        moved = round((new - old) * 100, 1)
        if not moved:
            return Change(words=SAME)
        is_told = min(now.sessions, before.sessions) >= MINIMUM_SAMPLE
        tone = ("better" if (moved > 0) == is_good else "worse") if is_told else ""
        return Change(words=f"{_sign(moved)}{abs(moved):.1f} points", tone=tone)

    return said


def _number(value: Value, write: Callable[[float], str]) -> Moved:
    """Return how to say a change of a number that is neither good nor bad."""

    return lambda now, before: _moved(value(now), value(before), write)


def _moved(
    new: float | None, old: float | None, write: Callable[[float], str]
) -> Change:
    if new is None or old is None:
        return _unknown(old)
    written = write(abs(new - old))
    if written == write(0):
        return Change(words=SAME)
    return Change(words=f"{_sign(new - old)}{written}")


def _counted_rate(value: Value, *, is_good: bool = False) -> Moved:
    """As `_rate`, of what not every hour counted."""
    plain = _rate(value, is_good=is_good)
    return lambda now, before: _uncounted(now, before) or plain(now, before)


def _uncounted(now: Figures, before: Figures) -> Change | None:
    """Say that there is nothing to compare, where hours were added up before it was
    counted."""
    if now.uncounted or before.uncounted:
        return Change(words="not compared: not counted in every hour")
    return None


def _counted(found: Figures, told: str) -> str:
    """Say what a number was counted from, or of how many hours it was not counted."""
    if not found.uncounted:
        return told
    return f"not counted in {found.uncounted:,} hours: rebuild_rollups counts them"


def _unknown(old: float | None) -> Change:
    return Change(words="none before" if old is None else "there was one before")


def _sign(moved: float) -> str:
    return "+" if moved > 0 else "−"  # noqa: RUF001 - the sign, not a hyphen


def _tile(
    title: str,
    detail: str,
    write: Callable[[Figures], str],
    change: Moved,
    now: Figures,
    before: Figures | None,
) -> Tile:
    return Tile(
        title=title,
        value=write(now),
        detail=detail,
        change=None if before is None else change(now, before),
    )


def _count(number: float) -> str:
    return f"{number:,.0f}"


def _decimal(number: float) -> str:
    return f"{number:,.1f}"


# What each is called, what it was counted from, the number, and how its change is said.
NUMBERS: tuple[
    tuple[str, Callable[[Figures], str], Callable[[Figures], str], Moved], ...
] = (
    (
        "Sessions rolled back",
        lambda one: f"{one.rolled_back:,} of {one.sessions:,} sessions",
        lambda one: percent_or_none(one.rate),
        _rate(lambda one: one.rate),
    ),
    (
        "Rollbacks per session",
        lambda one: f"{one.rollbacks:,} rollbacks, {one.undos:,} taken back",
        lambda one: percent_or_none(one.per_session),
        _rate(lambda one: one.per_session),
    ),
    (
        "Mean time to rollback",
        lambda _: "from the first bad version",
        lambda one: duration_or_none(one.mean_seconds),
        _number(lambda one: one.mean_seconds, duration),
    ),
    (
        "Mean depth",
        lambda _: "versions set aside",
        lambda one: decimal_or_none(one.mean_depth),
        _number(lambda one: one.mean_depth, _decimal),
    ),
    (
        "Repeated",
        lambda _: "to the same version again",
        lambda one: f"{one.repeats:,}",
        _number(lambda one: one.repeats, _count),
    ),
    (
        "Forks",
        lambda one: f"of {one.began:,} new sessions",
        lambda one: f"{one.forks:,}",
        _number(lambda one: one.forks, _count),
    ),
    (
        "Versions per session",
        lambda one: f"{one.versions:,} in all",
        lambda one: decimal_or_none(one.versions_per_session),
        _number(lambda one: one.versions_per_session, _decimal),
    ),
    (
        "Turns per session",
        lambda one: f"{one.turns:,} in all",
        lambda one: decimal_or_none(one.turns_per_session),
        _number(lambda one: one.turns_per_session, _decimal),
    ),
    (
        "Tool errors",
        lambda one: f"{one.tool_errors:,} of {one.tool_calls:,} calls",
        lambda one: percent_or_none(one.tool_error_rate),
        _rate(lambda one: one.tool_error_rate),
    ),
    (
        "Completed",
        lambda one: _counted(one, f"{one.closed:,} sessions closed"),
        lambda one: percent_or_none(one.completion_rate),
        _counted_rate(lambda one: one.completion_rate, is_good=True),
    ),
    (
        "Escalated",
        lambda one: _counted(one, f"{one.escalated:,} sessions asked for a human"),
        lambda one: percent_or_none(one.escalation_rate),
        _counted_rate(lambda one: one.escalation_rate),
    ),
    (
        "Lost something",
        lambda one: _counted(one, f"{one.flagged:,} sessions with a flagged version"),
        lambda one: percent_or_none(one.flagged_rate),
        _counted_rate(lambda one: one.flagged_rate),
    ),
)
