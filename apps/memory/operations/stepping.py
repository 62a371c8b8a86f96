"""Step memories back: an owner's to an earlier moment, or rid of one session.

Nothing is deleted: what is stepped back from is in the history, and stepping back to
before that brings it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.audit.streams import MemoryOperation
from apps.core import sql
from apps.core.errors import InvalidRequest
from apps.memory.documents.contents import Content
from apps.memory.documents.finding import read_entries
from apps.memory.documents.owners import Finder, Owner, Place
from apps.memory.documents.storing import kept_of, note, note_removed
from apps.memory.operations.recording import told_of_owner
from apps.timeline import queries
from apps.timeline.errors import KeyNotFound, RestoreTooLarge, VersionNotFound
from apps.timeline.operations import (
    Document,
    Restoration,
    restore_document,
)

# Memories that one act steps back.
MOST = 10_000
# Of a preview, those that are shown whole.
SHOWN = 50
AT_ONCE = 1_000
NO_VERSION = "These memories have no such version."

# The version that stood at a moment, and the one behind it.
_AT = sql.of_session("""
SELECT v.number, n.number AS next
  FROM (SELECT w.number FROM timeline_version w
         WHERE w.session_id = %(session)s AND w.created_at <= %(moment)s
         ORDER BY w.number DESC LIMIT 1) v
  LEFT JOIN LATERAL (
       SELECT min(w.number) AS number FROM timeline_version w
        WHERE w.session_id = %(session)s AND w.number > v.number) n ON true
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Whose memories are to be as they were: at a moment, or at a version.

    `expected` is the document's version that the caller saw.
    """

    place: Place
    moment: datetime | None = None
    version: int | None = None
    expected: int | None = None
    reasoning: str | None = None

    def require(self, *, now: datetime) -> None:
        """Raises: InvalidRequest."""
        if (self.moment is None) == (self.version is None):
            raise InvalidRequest("Name to or version, and one of them.", param="to")
        if self.moment is not None and self.moment > now:
            raise InvalidRequest("This moment is still to come.", param="to")


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A memory that is different; None is that it is not there."""

    before: Content | None
    after: Content | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SteppedBack:
    """What stepping back did with one owner's memories, or would do.

    `number` is the version of the document that it was done on: step back to it, and
    all is as before. `changes` are the first of `count`; `effect` is the digest of all
    of them, where a session is forgotten.
    """

    owner: Owner
    number: int
    target: int | None
    count: int
    changes: Sequence[Change]
    stored_number: int | None = None
    effect: str = ""


def preview(*, act: Act, wanted: Wanted) -> SteppedBack:
    """Say what stepping back would do, and write nothing.

    Raises: InvalidRequest, SessionNotFound, AgentNotFound, VersionNotFound,
    RestoreTooLarge; VersionPruned and ContentsErased where a removal took what would
    come back.
    """
    wanted.require(now=act.now)
    owner = Finder(act.scope, wanted.place, act.now).to_write()
    return _previewed(act, owner, wanted)


def step_back(*, act: Act, wanted: Wanted) -> SteppedBack:
    """Have an owner's memories be as they were, as one version more.

    Raises: what `preview` raises, and AgentSuspended, AgentDeleted, DocumentHeld,
    IdempotencyKeyReused; DocumentMoved where another version stands than was seen.
    """
    wanted.require(now=act.now)
    owner = Finder(act.scope, wanted.place, act.now).to_write()
    shown = _previewed(act, owner, wanted)
    if shown.target is None or not shown.count:
        return shown
    with transaction.atomic():
        restored = restore_document(
            act=act,
            document=owner.document,
            wanted=Restoration(
                target=shown.target,
                config=False,
                data=True,
                expected=wanted.expected,
                most=MOST,
            ),
            told=told_of_owner(
                MemoryOperation.RESTORE,
                owner,
                event=Action.MEMORY_RESTORED,
                target=shown.target,
            ),
            reasoning=wanted.reasoning,
        )
        # Sent again, it was followed then: newer versions may stand since.
        if not restored.is_replay:
            follow(owner.document, restored.number, now=act.now)
    return replace(shown, stored_number=restored.number)


def follow(document: Document, number: int, *, now: datetime) -> None:
    """Have the rows of memories be what that version left under their ids."""
    entries = queries.entries_of(document.id, number, number)
    absent = [one.key for one in entries if one.body_number is None]
    note_removed(document, absent, number=number, now=now)
    standing = [one for one in entries if one.body_number is not None]
    for at in range(0, len(standing), AT_ONCE):
        note(document, kept_of(document, standing[at : at + AT_ONCE]))


def _previewed(act: Act, owner: Owner, wanted: Wanted) -> SteppedBack:
    document = owner.document
    standing = queries.standing(document.id, now=act.now)
    if standing is None:
        if wanted.version:
            raise VersionNotFound(NO_VERSION, param="version", head=0)
        return SteppedBack(owner=owner, number=0, target=None, count=0, changes=())
    target = _target(document, wanted, standing.number)
    with queries.refused_as_conflict(), queries.whole_at(document.id, target):
        keys = _touched(document, standing.number, target, act.now)
        changes = list(_changes(document, keys[:SHOWN], target, act.now))
    return SteppedBack(
        owner=owner,
        number=standing.number,
        target=target,
        count=len(keys),
        changes=changes,
    )


def _target(document: Document, wanted: Wanted, head: int) -> int:
    if wanted.moment is None:
        version = wanted.version or 0
        if version > head:
            raise VersionNotFound(NO_VERSION, param="version", head=head)
        return version
    asked = {"session": document.id, "moment": wanted.moment}
    found = sql.rows(_AT, asked)
    if not found:
        # Before it began there was nothing, which is what its version 0 holds.
        return 0
    (stood,) = found
    if stood.next is not None and stood.next != stood.number + 1:
        # One that was pruned may have stood at that moment.
        with queries.refused_as_conflict():
            queries.require_whole(document.id, stood.number + 1)
    return int(stood.number)


def _touched(document: Document, head: int, target: int, now: datetime) -> list[str]:
    found = queries.differences(document.id, head, target, limit=MOST + 1, moment=now)
    if len(found) > MOST:
        raise RestoreTooLarge(most=MOST)
    with queries.refused_as_conflict():
        back = [one.after for one in found if one.after is not None]
        queries.require_values(document.id, back)
    return [one.key for one in found if one.key]


def _changes(
    document: Document, keys: Sequence[str], target: int, now: datetime
) -> Iterator[Change]:
    before = {
        one.content.id: one.content for one in read_entries(document, keys, now=now)
    }
    for key in keys:
        yield Change(before=before.get(key), after=_at(document, key, target))


def _at(document: Document, key: str, number: int) -> Content | None:
    try:
        entry = queries.entry_at(document.id, key, number)
    except KeyNotFound:
        return None
    (kept,) = kept_of(document, [entry])
    return kept.content
