"""What needs attention now: short lists for a project's first page.

The lists hold the newest few of each kind and say how many there are. They are read
from what is open (`timeline.open_items`), never from a window over the newest acts: so
an empty list means that there is nothing, and the page costs the same at any size.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from apps.accounts.models import Project
from apps.approvals.queries import MOST_COUNTED as MOST_REQUESTS
from apps.approvals.queries import count_pending
from apps.audit.actions import Action
from apps.console.pages.alerts.firing import RULES_SHOWN, Firing, firing
from apps.console.pages.project.attention.items import (
    SHOWN,
    Item,
    items_of,
    newest_rollbacks,
)
from apps.console.pages.project.attention.kinds import ABOUT
from apps.console.pages.project.attention.listing import PAGE, counted
from apps.metrics.alerting.states import count_firing
from apps.timeline.queries import MOST_COUNTED, OpenItem, list_open_items, open_counts
from apps.timeline.words import OpenKind

# What an agent or a person waits for; flagged versions are listed, but nobody waits.
NEEDED = (OpenKind.WAITING, OpenKind.HELD)


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
        items=newest_rollbacks(project, now),
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


def _list(project: Project, kind: OpenKind, count: int, now: datetime) -> ItemList:
    about = ABOUT[kind]
    found = list_open_items(project.id, kind, limit=PAGE, now=now)
    return ItemList(
        name=kind.value,
        title=about.title,
        icon=about.icon,
        items=_by_session(kind, found[:PAGE]),
        count=counted(count),
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
            items_of(kind, [first for first, *_ in shown]), shown, strict=True
        )
    ]
