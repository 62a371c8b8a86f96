"""Rows of a list of sessions, as HTML: one form for each, filled and escaped.

As a template, a row took 170 lookups and 40 nodes, and the rows of a page were half of
what it cost: see docs/benchmarks.md. What few rows have (why a search found them, and
others that look alike) stays there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.urls import reverse
from django.utils.safestring import SafeString

from apps.console.pages.drawings.markup import filled, joined
from apps.console.pages.drawings.status import status
from apps.console.pages.drawings.ticks import ticks
from apps.console.pages.drawings.times import moment
from apps.console.pages.project.session_rows import ENDED, SessionRow
from apps.diffs.text import shorten, shorten_middle, visible

ROW = """\
  <tr role="row"{gone}>
    {pick}<td role="cell" class="state">{status}</td>
    <th scope="row" role="rowheader" class="title">{fork}<a href="{url}{walk}" title="{id}">{title}</a></th>
    <td role="cell" class="last"><a class="badge {kind}" href="{page}/versions/{head}{walk}" aria-label="Head, version {head}">v{head}</a> <span class="words">{words}</span>{tasks}</td>
    <td role="cell" class="strip-cell">{strip}</td>
    <td role="cell" class="whose"><span class="agent">{agent}</span>{release} <span class="user">{user}</span></td>
    <td role="cell" class="time number">{changed}</td>
  </tr>
"""  # noqa: E501 - a line of it is a line of the page
PICK = (
    '<td role="cell" class="pick"><label><input type="checkbox" name="session" '
    'value="{id}" form="bulk"{checked}><span class="unseen">Pick {title}</span>'
    "</label></td>\n    "
)
FORK = (
    '<a class="fork" href="{here}/{origin}/versions/{number}" title="Forked from '
    '{origin} v{number}"><span class="fork-sign" aria-hidden="true"></span>'
    '<span class="unseen">Forked from {origin} v{number}</span></a>'
)
TASKS = (
    ' <progress max="{total}" value="{done}" title="{done} of {total} tasks" '
    'aria-label="Tasks: {done} of {total}"></progress>'
)
RELEASE = ' <span class="badge release">{release}</span>'
CUT = (
    '<span aria-hidden="true" title="{whole}">{short}</span>'
    '<span class="unseen">{whole}</span>'
)
NOTHING = SafeString("")
NO_USER = SafeString('<span class="none">no user</span>')
GONE, CHECKED = SafeString(' class="gone"'), SafeString(" checked")
LONGEST_AGENT, LONGEST_RELEASE, LONGEST_USER = 36, 24, 60


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows one below the other; only of the last there is more to say, if of any."""

    html: SafeString
    last: SessionRow | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """What the rows of one page share; `walk` is the list, as addresses name it."""

    slug: str
    now: datetime
    walk: str = ""
    is_pickable: bool = False
    picked: Collection[str] = ()
    agents: dict[str, SafeString] = field(default_factory=dict)

    def stretches(self, rows: Sequence[SessionRow]) -> list[Stretch]:
        """Return all rows, cut behind each of which there is more to say."""
        here = reverse("console:sessions", args=[self.slug])
        found: list[Stretch] = []
        drawn: list[SafeString] = []
        for shown in rows:
            drawn.append(self._row(shown, here))
            if shown.row.why or shown.alike:
                found.append(Stretch(joined(drawn), shown))
                drawn = []
        return [*found, Stretch(joined(drawn), None)] if drawn else found

    def _row(self, shown: SessionRow, here: str) -> SafeString:
        session = shown.session
        page = f"{here}/{session.id}"
        return filled(
            ROW,
            gone=GONE if shown.status in ENDED else NOTHING,
            pick=self._pick(shown) if self.is_pickable else NOTHING,
            status=status(shown.status),
            fork=_fork(shown, here),
            url=shown.leads_to or page,
            walk=f"?{self.walk}" if self.walk else "",
            id=session.id,
            title=shown.title,
            kind=shown.kind,
            page=page,
            head=str(session.head_number),
            words=shown.words,
            tasks=_tasks(shown.tasks),
            strip=ticks(shown.strip),
            agent=self._agent(session.agent.external_id),
            release=_release(shown.release),
            user=NO_USER if shown.user is None else shorten(shown.user, LONGEST_USER),
            changed=moment(session.updated_at, self.now),
        )

    def _pick(self, shown: SessionRow) -> SafeString:
        is_picked = shown.session.id in self.picked
        checked = CHECKED if is_picked else NOTHING
        return filled(PICK, id=shown.session.id, checked=checked, title=shown.title)

    def _agent(self, name: str) -> SafeString:
        """Show an agent's name: most rows of a page have one of few."""
        if name not in self.agents:
            self.agents[name] = named(name, LONGEST_AGENT)
        return self.agents[name]


def named(name: str, longest: int) -> SafeString:
    """Show a name, a long one without its middle; whole for who does not see it."""
    whole, short = visible(name), shorten_middle(name, longest)
    return filled("{whole}" if short == whole else CUT, whole=whole, short=short)


def _fork(shown: SessionRow, here: str) -> SafeString:
    origin, number = shown.session.origin_session_id, shown.session.origin_number
    if not origin:
        return NOTHING
    return filled(FORK, here=here, origin=origin, number=str(number))


def _tasks(tasks: tuple[int, int] | None) -> SafeString:
    if tasks is None:
        return NOTHING
    done, total = tasks
    return filled(TASKS, done=str(done), total=str(total))


def _release(release: str | None) -> SafeString:
    if release is None:
        return NOTHING
    return filled(RELEASE, release=shorten(release, LONGEST_RELEASE))
