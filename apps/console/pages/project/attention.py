"""What needs attention now: short lists for a project's first page, and all of a kind.

The lists hold the newest few of each kind and say how many there are. They are read
from what is open (`timeline.open_items`), never from a window over the newest acts: so
an empty list means that there is nothing, and the page costs the same at any size.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from django.urls import reverse

from apps.accounts.models import Project
from apps.approvals.queries import MOST_COUNTED as MOST_REQUESTS
from apps.approvals.queries import count_pending
from apps.audit.actions import Action
from apps.console.pages.alerts.firing import RULES_SHOWN, Firing, firing
from apps.console.pages.project.session_rows import titles_of
from apps.core.errors import InvalidRequest
from apps.diffs.flags import Flag
from apps.diffs.text import shorten
from apps.metrics.alerting.states import count_firing
from apps.metrics.ranges import EARLIEST, Range
from apps.metrics.rollback_list import Rollback, RollbackFilter, list_rollbacks
from apps.timeline.queries import (
    MOST_COUNTED,
    MOST_FLAGGED,
    OpenItem,
    OpenPlace,
    list_open_items,
    open_counts,
)
from apps.timeline.words import OpenKind

SHOWN = 8
# What an agent or a person waits for; flagged versions are listed, but nobody waits.
NEEDED = (OpenKind.WAITING, OpenKind.HELD)
PAGE = 50
FLAG_WORDS = {
    Flag.KEYS_LOST: "keys lost",
    Flag.NULLED: "turned null",
    Flag.SHRANK: "state shrank",
    Flag.REPEATED: "failed call repeated",
}
LONGEST = 160
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Of a writer whose clock goes ahead.
AHEAD = timedelta(days=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One thing to look at: a version of a session, and why."""

    session_id: str
    title: str
    number: int
    agent: str
    user_id: str | None
    words: str
    at: datetime
    # The status of its session, where the list says it.
    status: str | None = None
    # Older versions of the session, of those looked at, that are as this one is.
    others: Sequence[int] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """How a kind of open items is shown, and what it means that there are none."""

    title: str
    sign: str
    icon: str
    none: str
    explained: str
    # In words, searches that find more than is open: also what was dealt with.
    searches: Sequence[tuple[str, str]]


ABOUT = {
    OpenKind.WAITING: About(
        title="Waiting for a human",
        sign="☎",
        icon="user",
        none="No agent asks for a human.",
        explained="Sessions whose agent waits: its state asks for a person by the "
        "agent's rules (escalated, requires_confirmation, pending_action, "
        "pending_approval or approval_status, where an administrator has not mapped "
        "others), or the objective begins with WAITING_FOR. The version is the one "
        "since which it waits. A pause or a resume does not answer it, every other "
        "write does unless it asks again.",
        searches=[
            ("escalated, closed ones too", "state.escalated=true"),
            ("escalated to a human, closed ones too", "state.escalated_to_human=true"),
        ],
    ),
    OpenKind.FLAGGED: About(
        title="Flagged versions",
        sign="▲",
        icon="warning",
        none="No version looks wrong that has not been rolled back.",
        explained="Versions that seem to have lost something, or with which a tool "
        "call failed again as it had failed, and that no rollback has set aside; an "
        "undone rollback brings them back. They stay when their session is closed, and "
        "go with its deletion. Of one session the newest "
        f"{MOST_FLAGGED:,} are listed.",
        searches=[
            ("ever lost keys", "flag:keys"),
            ("ever had a value turned null", "flag:null"),
            ("ever shrank", "flag:shrank"),
            ("ever repeated a failed call", "flag:repeated"),
        ],
    ),
    OpenKind.HELD: About(
        title="Held sessions",
        sign="❚❚",
        icon="hold",
        none="No session is held.",
        explained="Sessions in which agents' writes are refused until somebody resumes "
        "them. The version is the one that held it.",
        searches=[("the same, by when they began", "status:paused")],
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemList:
    """The newest things of one kind, and where all of them are."""

    name: str
    title: str
    icon: str
    items: list[Item]
    # In words: exact up to a thousand.
    count: str | None = None
    none: str
    url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Attention:
    """What needs a person, the most pressing first, and what went wrong lately."""

    headline: str
    # Requests that people are asked to decide, in words; None where there are none.
    requests: str | None
    firing: list[Firing]
    needs: list[ItemList]
    flagged: ItemList
    rollbacks: ItemList

    @property
    def is_calm(self) -> bool:
        """Whether nobody has to do anything now."""
        is_asked = self.requests is not None
        return not (self.firing or is_asked or any(one.items for one in self.needs))


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemPage:
    """A page of all things of one kind; `after` is where the next one begins."""

    about: About
    count: str
    items: list[Item]
    after: str | None


def of_project(project: Project, *, now: datetime) -> Attention:
    """Return what a project's first page shows."""
    counts = open_counts(project.id, now=now)
    lists = {kind: _list(project, kind, counts[kind], now) for kind in ABOUT}
    rules = firing(project)
    n_rules = len(rules)
    if n_rules == RULES_SHOWN:
        n_rules = count_firing(project.id)
    acts = {"show": "all", "action": Action.SESSION_ROLLED_BACK.value}
    url = reverse("console:audit_log", args=[project.slug])
    rollbacks = ItemList(
        name="rollbacks",
        title="Newest rollbacks",
        icon="rollbacks",
        items=_rollbacks(project, now),
        none="Nothing was rolled back.",
        url=f"{url}?{urlencode(acts)}",
    )
    requests = _requests(count_pending(project.id, now=now))
    things = [n_rules, *(counts[kind] for kind in NEEDED)]
    return Attention(
        headline=_headline(things, requests),
        requests=requests,
        firing=rules,
        needs=[lists[kind] for kind in NEEDED],
        flagged=lists[OpenKind.FLAGGED],
        rollbacks=rollbacks,
    )


def _headline(counts: Sequence[int], requests: str | None) -> str:
    """Say how much needs a person; each of the counts is exact up to a thousand.

    Requests are said apart: a session that waits for one may be among the things.
    """
    total = sum(counts)
    if not total:
        return "Nothing needs you." if requests is None else f"{requests}."
    things = "1 thing needs you." if total == 1 else f"{total:,} things need you."
    if max(counts) > MOST_COUNTED:
        things = f"More than {MOST_COUNTED:,} things need you."
    return things if requests is None else f"{things} {requests}."


def _requests(count: int) -> str | None:
    if count > MOST_REQUESTS:
        return f"More than {MOST_REQUESTS} requests wait to be decided"
    if count == 1:
        return "1 request waits to be decided"
    return f"{count} requests wait to be decided" if count else None


def all_of(
    project: Project, kind: OpenKind, *, after: str | None, now: datetime
) -> ItemPage:
    """Return a page of all open items of a kind, the newest first.

    Raises: InvalidRequest for a place that is none.
    """
    counts = open_counts(project.id, now=now)
    place = _read_place(after) if after else None
    found = list_open_items(project.id, kind, after=place, limit=PAGE, now=now)
    shown = found[:PAGE]
    return ItemPage(
        about=ABOUT[kind],
        count=_counted(counts[kind]),
        items=_items(kind, shown),
        after=_place(shown[-1].place) if len(found) > PAGE else None,
    )


def _list(project: Project, kind: OpenKind, count: int, now: datetime) -> ItemList:
    about = ABOUT[kind]
    found = list_open_items(project.id, kind, limit=PAGE, now=now)
    return ItemList(
        name=kind.value,
        title=about.title,
        icon=about.icon,
        items=_by_session(kind, found[:PAGE]),
        count=_counted(count),
        none=about.none,
        url=reverse("console:open_items", args=[project.slug, kind.value]),
    )


def _by_session(kind: OpenKind, found: Sequence[OpenItem]) -> list[Item]:
    """Return one item a session, the newest: one run must not fill the list."""
    newest: dict[str, list[OpenItem]] = {}
    for one in found:
        newest.setdefault(one.session_id, []).append(one)
    shown = list(newest.values())[:SHOWN]
    return [
        replace(item, others=[one.number for one in rest])
        for item, (_, *rest) in zip(
            _items(kind, [first for first, *_ in shown]), shown, strict=True
        )
    ]


def _items(kind: OpenKind, found: Sequence[OpenItem]) -> list[Item]:
    named = titles_of([one.session_id for one in found])
    return [_item(kind, one, named[one.session_id]) for one in found]


def _item(kind: OpenKind, one: OpenItem, title: str) -> Item:
    return Item(
        session_id=one.session_id,
        title=title,
        number=one.number,
        agent=one.agent,
        user_id=one.user_id,
        words=_words(kind, one),
        at=one.at,
        status=one.status,
    )


def _words(kind: OpenKind, one: OpenItem) -> str:
    if kind is OpenKind.FLAGGED:
        return ", ".join(FLAG_WORDS[Flag(flag)] for flag in one.flags)
    if kind is OpenKind.HELD:
        return "agents' writes are held"
    return shorten(one.objective_status or "its state asks for a person", LONGEST)


def _counted(count: int) -> str:
    return f"{count:,}" if count <= MOST_COUNTED else f"{MOST_COUNTED:,}+"


def _place(place: OpenPlace) -> str:
    """Encode the keyset of an item: when, which version, which session."""
    age = (place.at - EPOCH) // timedelta(microseconds=1)
    return f"{age}.{place.number}.{place.session_id}"


def _read_place(text: str) -> OpenPlace:
    """Raises: InvalidRequest for a place that is none."""
    age, _, rest = text.partition(".")
    number, _, session_id = rest.partition(".")
    try:
        at = EPOCH + timedelta(microseconds=int(age))
        return OpenPlace(at=at, number=int(number), session_id=session_id)
    except (ValueError, OverflowError):
        raise InvalidRequest("This is no place in the list.", param="after") from None


def _rollbacks(project: Project, now: datetime) -> list[Item]:
    """Return the newest rollbacks, counted as on the page of metrics: no undo."""
    ever = Range(start=EARLIEST, end=now + AHEAD)
    found = list_rollbacks(project.id, ever, RollbackFilter(), after=None, limit=SHOWN)
    shown = found[:SHOWN]
    named = titles_of([one.session_id for one in shown])
    return [_rollback(one, named[one.session_id]) for one in shown]


def _rollback(one: Rollback, title: str) -> Item:
    reason = f": {shorten(one.reasoning, LONGEST)}" if one.reasoning else ""
    return Item(
        session_id=one.session_id,
        title=title,
        number=one.number,
        agent=one.agent,
        user_id=one.user_id,
        words=f"to v{one.restored_number} by {shorten(one.actor_label)}{reason}",
        at=one.created_at,
    )
