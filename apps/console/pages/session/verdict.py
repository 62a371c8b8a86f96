"""What the session page says first: what looks wrong since when, and the way back.

Flags are of the append: keys lost, a value turned null, a state that shrank, a failed
call that was repeated. They look wrong and need not be, so the sentence says "looks". A
label `known-good` on a version says that whatever came before it was looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.console.pages.session import version_text
from apps.diffs.meaning.noise import NO_NOISE, Noise
from apps.diffs.text import shorten
from apps.timeline.queries import MOST_FLAGGED
from apps.timeline.versions import VersionRow, set_aside_by

LONGEST = 200
# How a session stands of which nothing is to be told but that.
UNREMARKABLE = frozenset({"active", "closed", "forked"})
_LOOKED_FOR = (
    "to have lost anything (a key of the state, a value that turned null, half of its "
    "size), or to repeat a tool call that had failed."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Suspect:
    """The first flagged version in force, and the last good one before it.

    `good` is the version to go back to; `is_known` where somebody labelled it, else it
    is the one on which the flagged version was built.
    """

    number: int
    good: int | None
    is_known: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """One sentence and its evidence; `target` is where its button leads."""

    # wrong or rolled.
    kind: str
    version: VersionRow
    words: str
    target: int | None
    is_known: bool = False
    # How many live versions were built on it.
    n_after: int = 0


def suspect(
    flagged: Sequence[int], good: Sequence[int], live: Sequence[range]
) -> Suspect | None:
    """Find the first version that looks wrong since the last that is known to be good.

    Both are numbers of live and other versions of one session.
    """
    known = known_good(good, live)
    since = [one for one in flagged if set_aside_by(live, one) is None]
    after = [one for one in since if known is None or one > known]
    if not after:
        return None
    first = min(after)
    before = known if known is not None else _live_before(live, first)
    return Suspect(number=first, good=before, is_known=known is not None)


def verdict(
    found: Suspect | None,
    versions: Mapping[int, VersionRow],
    *,
    head: int,
    live: Sequence[range],
    noise: Noise = NO_NOISE,
) -> Verdict | None:
    """Return what is to be said; nothing, where all is well as far as is known."""
    if found is not None and found.number in versions:
        version = versions[found.number]
        return Verdict(
            kind="wrong",
            version=version,
            words=_words(version, noise),
            target=found.good,
            is_known=found.is_known,
            n_after=_count_after(live, found.number),
        )
    newest = versions.get(head)
    # Who undid a rollback is where they were before it.
    if newest is None or newest.restored_number is None or newest.undo_of is not None:
        return None
    return Verdict(
        kind="rolled",
        version=newest,
        words=shorten(newest.reasoning or "", LONGEST),
        target=newest.restored_number,
    )


def all_well(
    standing: str,
    flagged: Sequence[int],
    good: Sequence[int],
    live: Sequence[range],
) -> str | None:
    """Say what was looked at where nothing looks wrong; None where something is up.

    And where there are more flagged versions than were read.
    """
    has_all = len(flagged) < MOST_FLAGGED
    if standing not in UNREMARKABLE or not has_all or suspect(flagged, good, live):
        return None
    known = known_good(good, live)
    since = "" if known is None else f" since v{known}, which is known good,"
    return f"Nothing looks wrong: no version that counts{since} was found {_LOOKED_FOR}"


def way_back(version: VersionRow, live: Sequence[range]) -> int | None:
    """Return the version to go back to before a live one that looks wrong.

    None where it does not, was set aside, or is the first.
    """
    is_suspect = bool(version.flags) and version.restored_number is None
    if not is_suspect or set_aside_by(live, version.number) is not None:
        return None
    return _live_before(live, version.number)


def set_aside_from(version: VersionRow) -> int | None:
    """Return the first version that a rollback has set aside; None for all others."""
    restored = version.restored_number
    if restored is None or version.undo_of is not None:
        return None
    return restored + 1 if restored + 1 < version.number else None


def known_good(good: Sequence[int], live: Sequence[range]) -> int | None:
    """Return the newest live version that somebody called good."""
    return max((one for one in good if set_aside_by(live, one) is None), default=None)


def _words(version: VersionRow, noise: Noise) -> str:
    flags = ", ".join(version_text.flag_words(version, None, noise))
    return f"{flags}: {shorten(version_text.words(version, noise), LONGEST)}"


def _count_after(live: Sequence[range], number: int) -> int:
    """Return how many live versions are newer."""
    return sum(max(one.stop - max(one.start, number + 1), 0) for one in live)


def _live_before(live: Sequence[range], number: int) -> int | None:
    """Return the newest live version below `number`."""
    below = [min(one.stop - 1, number - 1) for one in live if one.start < number]
    return max(below, default=None)
