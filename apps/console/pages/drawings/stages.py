"""The band below a life line: in which step of its work the agent was, as it said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from apps.diffs.text import shorten
from apps.timeline.versions import VersionRow, kept_changes

STEP = "/step"
# A letter takes about so much of a line of 1,100 px.
LETTER_SHARE = 0.7


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """Successive versions of one `step`; places are percentages as text."""

    x: str
    width: str
    middle: str
    name: str
    # As much of the name as there is room for.
    label: str


def stages(versions: Sequence[VersionRow], drawn: Sequence[int]) -> list[Stage]:
    """Return the stretches of equal `step` among those that are drawn, evenly apart.

    They are read from the changes that were kept, each against the version before. None
    where one of them cannot be told: versions are missing between, or not all changes
    were kept.
    """
    steps = list(_steps(versions))
    if len(steps) < len(versions) or len(steps) <= drawn[-1]:
        return []
    share, at, found = 100 / len(drawn), 0, []
    for name, run in groupby(steps[number] for number in drawn):
        n = len(list(run))
        if name:
            found.append(_stage(name, at * share, n * share))
        at += n
    return found


def _steps(versions: Sequence[VersionRow]) -> Iterator[str]:
    """Yield the step of each version, empty where it has none, while it is known."""
    step = ""
    for number, version in enumerate(versions):
        changes = kept_changes(version)
        told = [one for one in changes if one.pointer in ("", STEP)]
        if version.number != number or version.changes_truncated:
            return
        if any(one.pointer == "" for one in told):
            return
        if told:
            step = told[-1].after if isinstance(told[-1].after, str) else ""
        yield step


def _stage(name: str, x: float, width: float) -> Stage:
    return Stage(
        x=f"{x + 0.1:.2f}%",
        width=f"{width - 0.2:.2f}%",
        middle=f"{x + width / 2:.2f}%",
        name=name,
        label=shorten(name, max(3, int(width / LETTER_SHARE))),
    )
