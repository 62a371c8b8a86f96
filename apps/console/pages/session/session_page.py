"""A session's page around the version: its facts, its strip, its timeline.

The same for every view of the page, so that a link opens what its sender saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from apps.accounts.access import Permission, may
from apps.accounts.models import Membership
from apps.agents.mapping import agents_noise
from apps.agents.scope import Scope
from apps.console import queries
from apps.console.pages.drawings import life_line, version_strip
from apps.console.pages.guards.guarding import verdicts
from apps.console.pages.guards.spending import spending
from apps.console.pages.project.session_rows import row_of, standing_of, subject_of
from apps.console.pages.session import (
    gaps,
    timeline_rows,
    verdict,
    version_text,
    walking,
    working,
)
from apps.heartbeats.models import Heartbeat
from apps.retention.standing import hold_on
from apps.timeline.blame import change_key
from apps.timeline.models import Session
from apps.timeline.queries import (
    LISTED_TURNS,
    Bucket,
    ListRow,
    Subject,
    VersionFilter,
    annotations_beside,
    count_still_owed,
    flagged_numbers,
    listed_turns,
    listed_versions,
    moves,
    strip_buckets,
)
from apps.timeline.versions import (
    CorruptBody,
    VersionRow,
    head_kept,
    live_ranges,
    parsed_state,
    versions_at,
)
from apps.timeline.words import Hold, Op, Status

# Their texts are most of a page, which has at most 120 kB.
ROWS = 25
# So many newer versions stand above the one that a link leads to.
ABOVE = 8
# Of the statuses, those in which nothing can be done any more.
GONE = frozenset({Status.DELETED, queries.EXPIRED})


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where in which session: `number` is None where no version is named."""

    membership: Membership
    session: Session
    number: int | None
    now: datetime

    @cached_property
    def live(self) -> Sequence[range]:
        """Which versions are live as seen from the head."""
        return live_ranges(self.session.id, self.session.head_number)

    @cached_property
    def subject(self) -> Subject:
        """What the session is about, and whose it is; asked where a page says so."""
        return subject_of(self.session, lambda _: self.row)

    @cached_property
    def row(self) -> ListRow | None:
        """What a list shows of the session: how it stands, and its title if need be."""
        return row_of(self.session)

    @property
    def selected(self) -> int:
        return self.session.head_number if self.number is None else self.number


def facts(place: Place) -> dict[str, Any]:
    """Return what is known of the session, and what the reader may do with it."""
    session, membership = place.session, place.membership
    status = queries.status_of(session, place.now)
    is_operator = may(membership, Permission.WRITE, membership.project)
    return {
        "membership": membership,
        "session": session,
        "page": place,
        "status": status,
        "is_live": status in (Status.ACTIVE, Status.PAUSED),
        "may_act": is_operator and status not in (*GONE, Status.CLOSED),
        "may_budget": status not in (*GONE, Status.CLOSED)
        and may(membership, Permission.ADMIN, membership.project),
        "may_fork": is_operator and status not in GONE,
        "may_write": is_operator and status not in GONE,
    }


def around(place: Place) -> dict[str, Any]:
    """Return the head of the page: metadata, forks, its family, and the strip."""
    session = place.session
    forks, children = queries.forks(session), queries.children(session)
    buckets = strip_buckets(session.id, session.head_number)
    standing = standing_of(session, queries.status_of(session, place.now), place.row)
    return {
        "title": place.subject.title,
        # The chip's; what can be done goes by `status`.
        "standing": standing,
        "review": queries.review(session),
        "watch": queries.watch_of(place.membership, session.id),
        "scores": sorted((session.scores or {}).items()),
        "legal_hold": hold_on(session, now=place.now),
        "metadata": version_text.pretty(bytes(session.metadata)),
        "forks": forks[: queries.SHOWN_FORKS],
        "has_more_forks": len(forks) > queries.SHOWN_FORKS,
        "parent": queries.parent(session),
        "children": children[: queries.SHOWN_FORKS],
        "has_more_children": len(children) > queries.SHOWN_FORKS,
        "strip": version_strip.strip(buckets, place.selected),
        **_life(place, buckets, forks, standing),
    }


def n_owed(place: Place, head: VersionRow | None) -> int:
    """Return how many effects are owed for that the head does not know of."""
    return 0 if head is None else count_still_owed(head, place.live)


def _life(
    place: Place,
    buckets: Sequence[Bucket],
    forks: Sequence[Session],
    standing: str,
) -> dict[str, Any]:
    """Return verdict, hold and the line of the session's life, of the same versions."""
    session, head = place.session, place.session.head_number
    flagged, good = flagged_numbers(session.id), queries.good_versions(session)
    found = verdict.suspect(flagged, good, place.live)
    trusted = verdict.known_good(good, place.live)
    # On a healthy session too: to what one would go back is always in sight.
    wanted = [place.selected] if trusted is None else [place.selected, trusted]
    if found is not None:
        wanted += [one for one in (found.number, found.good) if one is not None]
    numbers = life_line.telling_numbers(buckets, head=head, wanted=wanted)
    versions = versions_at(session.id, life_line.numbers_read(numbers, head))
    by_number = {version.number: version for version in versions}
    numbers = [number for number in numbers if number in by_number]
    newest = by_number.get(head)
    forked = [one.origin_number for one in forks if one.origin_number is not None]
    life = life_line.Life(
        read=versions,
        drawn=numbers,
        live=place.live,
        labels=queries.labels(session, numbers),
        forked=forked,
        head=head,
        selected=place.selected,
        suspect=None if found is None else found.number,
        noise=agents_noise(session.agent),
    )
    return {
        "n_owed": n_owed(place, newest),
        "work": working.working(newest, place.now),
        "used": spending(session),
        "verdicts": verdicts(session),
        "heartbeat": Heartbeat.objects.filter(session_id=session.id).first(),
        "held_by": newest if newest is not None and newest.op == Op.PAUSE else None,
        "moves": moves(newest) if newest and session.status == Status.PAUSED else (),
        "all_well": verdict.all_well(standing, flagged, good, place.live),
        "verdict": verdict.verdict(
            found,
            by_number,
            head=head,
            live=place.live,
            noise=agents_noise(session.agent),
        ),
        "life": life_line.life_line(life),
        "lost": gaps.gaps(session, with_emptied=True),
    }


def window(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of the timeline, and the links to those above and below."""
    session = place.session
    wanted = VersionFilter(
        path=_path_key(place, given["path"]),
        op=given["op"],
        actor=given["actor"],
        label=given["label"],
    )
    after = given["after"]
    if after is None and not wanted:
        after = _window_of(place)
    found = listed_versions(session.id, wanted, after=after, limit=ROWS)
    shown = found[:ROWS]
    kept = {name: text for name, text in given.items() if text not in ("", None)}
    kept.pop("after", None)
    if len(given["list"]) > walking.LONGEST_KEPT:
        kept = {name: kept[name] for name in kept if name not in ("list", "order")}
    lost = gaps.gaps(session)
    high = session.head_number if after is None else after - 1
    low = shown[-1].number if len(found) > ROWS else 0
    lost = gaps.within(lost, low, high)
    return {
        "rows": _rows(place, found, after, lost),
        "gaps": lost,
        "is_filtered": bool(wanted),
        "is_first": after is None,
        "newer": None if wanted else _newer(place, shown, after, kept),
        "older": _query(kept, shown[-1].number) if len(found) > ROWS else None,
        "keep": urlencode(kept if after is None else {**kept, "after": after}),
    }


def hold_of(version: VersionRow) -> str | None:
    """Return what holds agents back at this version; None for nothing."""
    return None if version.hold == Hold.OPEN else version.hold


def _window_of(place: Place) -> int | None:
    """Return where the window begins so that the version that is named stands in it."""
    head = place.session.head_number
    if head - place.selected < ROWS - ABOVE:
        return None
    return place.selected + ABOVE + 1


def _rows(
    place: Place,
    found: Sequence[VersionRow],
    after: int | None,
    lost: Sequence[gaps.Gap],
) -> list[timeline_rows.Row]:
    session, shown = place.session, found[:ROWS]
    if not shown:
        return []
    turns = listed_turns(session.id, shown)
    known = timeline_rows.Facts(
        live=place.live,
        annotations=annotations_beside(
            session.id, shown, after=after, is_last=len(found) <= ROWS
        ),
        turns=turns,
        has_all_turns=len(turns) < LISTED_TURNS,
        head_number=session.head_number,
        selected=place.number,
        noise=agents_noise(session.agent),
        gaps=lost,
    )
    by_number = {version.number: version for version in found}
    previous = [by_number.get(version.number - 1) for version in shown]
    return timeline_rows.timeline(shown, previous, known)


def _newer(
    place: Place, shown: Sequence[VersionRow], after: int | None, kept: dict[str, Any]
) -> str | None:
    if after is None or not shown:
        return None
    above = shown[0].number + 1 + ROWS
    return _query(kept, above if above <= place.session.head_number else None)


def _query(kept: dict[str, Any], after: int | None) -> str:
    return "?" + urlencode(kept if after is None else {**kept, "after": after})


def _path_key(place: Place, path: str) -> bytes | None:
    """Return the digest under which changes at this pointer are recorded."""
    if not path:
        return None
    scope = Scope(place.membership.project)
    try:
        state = parsed_state(head_kept(scope, place.session.id, None, now=place.now))
    except CorruptBody:
        state = {}
    return change_key(bytes(place.membership.project.index_key), state, path)
