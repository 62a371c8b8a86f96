"""Sessions as rows of a list: what each is about, how it stands, its newest versions.

Two statements for all rows of a page, and no body is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from apps.agents.mapping import agents_noise
from apps.console.pages.session.version_text import headline
from apps.console.queries import EXPIRED, Row, external_ids
from apps.diffs.text import visible
from apps.timeline.models import Session
from apps.timeline.queries import (
    NO_SUBJECT,
    ListRow,
    NewVersion,
    Subject,
    read_list_rows,
    subjects,
)
from apps.timeline.search import stands_as
from apps.timeline.versions import set_aside_by
from apps.timeline.words import Hold, Op, Status

ENDED = (Status.DELETED, EXPIRED)
# How a session stands that is neither held nor over.
STANDINGS = ("waiting", "wrong", "failed", "rolled", "forked")
SHORT_ID = 6
# What marks a version, in the words that a reader is told instead.
WORDS = {
    "flag": "looks wrong",
    "rollback": "rollback",
    "hold": "held",
    "good": "known good",
    "fork": "forked",
    "aside": "set aside",
    "aside-flag": "set aside, looked wrong",
    "update": "",
}


@dataclass(frozen=True, slots=True)
class Tick:
    """One version of the strip; `kind` is one of `WORDS`."""

    number: int
    kind: str
    is_head: bool

    @property
    def words(self) -> str:
        said = [WORDS[self.kind], "head" if self.is_head else ""]
        return " ".join([f"v{self.number}", ", ".join(filter(None, said))]).rstrip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Strip:
    """The newest versions of a session, oldest first."""

    ticks: Sequence[Tick]
    has_older: bool

    @property
    def words(self) -> str:
        """List them, for whoever does not see the strip."""
        older = "older versions, " if self.has_older else ""
        return f"Versions: {older}{'; '.join(tick.words for tick in self.ticks)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionRow:
    """A row of the list, with why a search found it."""

    row: Row
    status: str
    title: str
    # Whose it is: as its agent says, or as its state does where that is mapped.
    user: str | None
    words: str
    kind: str
    release: str | None
    # How many of its tasks are over, and how many there are.
    tasks: tuple[int, int] | None
    strip: Strip
    # Others of the page that read the same in a list.
    alike: Sequence[SessionRow] = ()

    @property
    def session(self) -> Session:
        return self.row.session

    @property
    def leads_to(self) -> str | None:
        """Return where a search leads: the deed, what holds it, or a mention of it."""
        found = [one for one in self.row.why if one.version is not None]
        found.sort(key=lambda one: (not one.is_deed, one.is_mention))
        return next((one.url for one in found), None)


def session_rows(rows: Sequence[Row]) -> list[SessionRow]:
    """Return the rows as a list shows them, but for what was removed meanwhile."""
    ids = [row.session.id for row in rows]
    known, said = read_list_rows(ids), subjects(ids)
    return [
        _shown(row, known[row.session.id], said.get(row.session.id, NO_SUBJECT))
        for row in rows
        if row.session.id in known
    ]


def grouped(rows: Sequence[SessionRow]) -> list[SessionRow]:
    """Put rows that look alike behind the first of them.

    They have one agent, user and status, one title, and the same last change.
    """
    groups: dict[tuple[str | None, ...], list[SessionRow]] = {}
    for row in rows:
        of_session = row.session.agent_id, row.user
        words = row.status, row.title.casefold(), row.words
        groups.setdefault((*of_session, *words), []).append(row)
    return [replace(first, alike=rest) for first, *rest in groups.values()]


def subjects_of(sessions: Sequence[Session]) -> dict[str, Subject]:
    """Return what sessions are about or named, if anything, and whose they are."""
    said = subjects([one.id for one in sessions])
    return {one.id: _named(one, said.get(one.id, NO_SUBJECT)) for one in sessions}


def row_of(session: Session) -> ListRow | None:
    """Return what a list shows of one session; None of one removed meanwhile."""
    return read_list_rows([session.id]).get(session.id)


def subject_of(
    session: Session, row: Callable[[Session], ListRow | None] = row_of
) -> Subject:
    """Return the title of one session, as its row shows it, and whose it is.

    The row is asked for only where nothing says what the session is about.
    """
    found = subjects_of([session])[session.id]
    if found.title is not None:
        return found
    known = row(session)
    if known is None:
        return replace(found, title=session.id)
    words = headline(known.head, agents_noise(session.agent))
    return replace(found, title=_by_change(session, words))


def _named(session: Session, said: Subject) -> Subject:
    title = said.title or session.external_id
    return Subject(
        title=None if title is None else _in_one_line(title),
        user=said.user if session.user_id is None else session.user_id,
    )


def title_of(session: Session) -> str:
    """Return the title of one session, as its row shows it."""
    return subject_of(session).title or session.id


def titles_of(sessions: Sequence[str]) -> dict[str, str]:
    """Return the titles of sessions; the end of its id for one that has none."""
    said = subjects(sessions)
    titles = {one: found.title for one, found in said.items() if found.title}
    known = external_ids(sessions) | titles
    return {
        one: _in_one_line(known[one]) if one in known else f"…{one[-SHORT_ID:]}"
        for one in sessions
    }


def standing_of(session: Session, status: str, row: ListRow | None) -> str:
    """Return how one session stands, as its row says it; `status` is what it may do."""
    return status if row is None else _status(session, status, row)


def _shown(row: Row, known: ListRow, said: Subject) -> SessionRow:
    strip, session = _strip(known), row.session
    about, tasks = _named(session, said), said.progress
    words = headline(known.head, agents_noise(session.agent))
    return SessionRow(
        row=row,
        status=_status(session, row.status, known),
        title=about.title or _by_change(session, words),
        user=about.user,
        words=words,
        kind=strip.ticks[-1].kind,
        release=next((one.release for one in known.versions if one.release), None),
        tasks=None if tasks is None else (tasks.done, tasks.total),
        strip=strip,
    )


def _in_one_line(title: str) -> str:
    return visible(" ".join(title.split()) or title)


def _by_change(session: Session, words: str) -> str:
    return f"{words}, …{session.id[-SHORT_ID:]}"


def _status(session: Session, status: str, known: ListRow) -> str:
    """Return the first that applies; what is over is known already."""
    if status in ENDED:
        return status
    return stands_as(
        status,
        known.head,
        is_waiting=known.is_waiting,
        is_wrong=known.looks_wrong,
        is_failed=session.is_failed,
    )


def _strip(known: ListRow) -> Strip:
    head, live = known.head.number, known.live
    return Strip(
        ticks=[
            Tick(one.number, _kind(one, known, live), one.number == head)
            for one in reversed(known.versions)
        ],
        has_older=known.has_older,
    )


def _kind(one: NewVersion, known: ListRow, live: Sequence[range]) -> str:
    is_flagged = bool(one.flags) and one.op != Op.ROLLBACK
    if set_aside_by(live, one.number) is not None:
        return "aside-flag" if is_flagged else "aside"
    if one.restored_number is not None:
        return "rollback"
    if one.hold == Hold.PAUSED:
        return "hold"
    if one.number in known.good:
        return "good"
    if is_flagged:
        return "flag"
    return "fork" if one.op == Op.FORK or one.number in known.forked else "update"
