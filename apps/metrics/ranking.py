"""Lists made of numbers: agents, the worst first; releases, models, reasons, actors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from apps.metrics.figures import MINIMUM_SAMPLE, Figures, Group
from apps.metrics.range_query import Reading

# Measure of the sessions that have it, and of those rolled back for it. Reasons and
# actors are of rollbacks alone: their rates are over all active sessions.
BREAKDOWNS = {
    "release": ("release", "release_rolled_back"),
    "model": ("model", "model_rolled_back"),
    "reason": ("", "reason"),
    "actor": ("", "actor"),
}
# What a session had of these beyond its first ten in an hour is one, without a name.
WITH_OTHERS = ("release", "model")
# Where classes of rollbacks and turns begin; as in sql/seen_v4.sql.
DEPTHS = (1, 2, 3, 6, 11, 21, 51)
SECONDS = (0, 60, 300, 900, 3_600, 21_600, 86_400)
# Fine classes of turns, so many for each power of ten.
FINE, FINE_CLASSES = "latency_fine", 20
MILLISECONDS = (0, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000)


def worst_first(by_name: Mapping[str, Figures]) -> list[tuple[str, Figures]]:
    """Sort agents or releases by their rate; that of few sessions comes last."""

    def key(item: tuple[str, Figures]) -> tuple[bool, float, int, str]:
        name, found = item
        # Of few sessions it says little.
        is_small = found.sessions < MINIMUM_SAMPLE
        return is_small, -(found.rate or 0), -found.rolled_back, name

    return sorted(by_name.items(), key=key)


def breakdown(reading: Reading, by: str) -> list[tuple[str | None, Figures]]:
    """Return the rates of each value, most rolled back sessions first.

    The empty text is what was not told. None is what has no name of its own: of these
    a session counts again in each hour.
    """
    of_active, of_failed = BREAKDOWNS[by]
    names = [of_active or "active", of_failed]
    others = [f"{name}_others" for name in names if by in WITH_OTHERS]
    found: dict[str | None, Figures] = defaultdict(Figures)
    for group in reading.groups(*names, *others):
        value = None if group.measure in others else group.value
        if group.measure.removesuffix("_others") == of_failed:
            found[value] += Figures(rolled_back=group.sessions, rollbacks=group.acts)
        elif of_active:
            found[value] += Figures(sessions=group.sessions)
    if not of_active:
        sessions = sum(one.sessions for one in reading.groups("active"))
        found = defaultdict(
            Figures,
            {name: replace(one, sessions=sessions) for name, one in found.items()},
        )
    return sorted(
        found.items(),
        key=lambda item: (-item[1].rolled_back, -item[1].sessions, item[0] or ""),
    )


def tools(reading: Reading) -> list[tuple[str, Figures]]:
    """Return the calls of each tool, most failed first; many more are one, unnamed."""
    found: dict[str, Figures] = defaultdict(Figures)
    for group in reading.groups("tool", "tool_failed"):
        is_call = group.measure == "tool"
        found[group.value] += Figures(
            tool_calls=group.acts if is_call else 0,
            tool_errors=0 if is_call else group.acts,
        )
    return sorted(
        found.items(),
        key=lambda item: (-item[1].tool_errors, -item[1].tool_calls, item[0]),
    )


def latency_within(groups: Iterable[Group], share: float) -> float | None:
    """Return how many milliseconds this share of the timed turns took at most.

    The end of a fine class, so up to 12 % more than the turn itself; None without any.
    """
    counts: dict[int, int] = defaultdict(int)
    for group in groups:
        if group.measure == FINE:
            counts[int(group.value)] += group.acts
    left = share * sum(counts.values())
    for at in sorted(counts):
        left -= counts[at]
        if left <= 0:
            return float(10 ** ((at + 1) / FINE_CLASSES) - 1)
    return None


def classes(
    groups: Iterable[Group], measure: str, bounds: Sequence[int]
) -> list[tuple[int, int | None, int]]:
    """Return (from, below, rollbacks) of every class, also of empty ones."""
    counts = [0] * len(bounds)
    for group in groups:
        if group.measure == measure:
            counts[int(group.value)] += group.acts
    ends = [*bounds[1:], None]
    return list(zip(bounds, ends, counts, strict=True))
