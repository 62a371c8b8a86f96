"""Removals among the acts of the random histories, and what they may take.

The model knows which versions have to stay. It asks the database for one thing, which
versions share a body, because whether an emptied version still shows something follows
from that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from apps.blobs.places import asking
from apps.core import sql
from apps.core.roles.names import Role
from apps.timeline import bodies
from apps.timeline.bodies.archives import located
from apps.timeline.models import Body
from apps.timeline.operations import keeping
from apps.timeline.operations.keeping import Gone, Went
from apps.timeline.verification import findings
from tests.acting import acting_as
from tests.feeding import project_all
from tests.model import histories
from tests.model.model import Session, Store, Version

REMOVES_AFTER = 5  # steps: before, there is little to take
places = histories.places
# Most of what is asked for is projected; what is not has to stay.
waits = st.sampled_from([False, False, False, True])
BODIES = "SELECT number, body_number FROM timeline_version WHERE session_id = %s"
OWNED = """
SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
   AND starts_with(c.relname::text, 'timeline_') AND a.attname = 'session_id'
   AND c.relname <> 'timeline_tombstone'
"""


class Removing:
    """The rules by which things go; the machine has the sessions and the desk."""

    store: Store
    desk: Any
    steps: int
    _session: Callable[[int], Session]

    @precondition(lambda self: self.steps >= REMOVES_AFTER)
    @rule(at=histories.which, first=places, count=places, waits=waits)
    def prune(self, at: int, first: int, count: int, waits: bool) -> None:
        self._take(keeping.prune_versions, at, first, count, waits)

    @precondition(lambda self: self.steps >= REMOVES_AFTER)
    @rule(at=histories.which, first=places, count=places, waits=waits)
    def empty(self, at: int, first: int, count: int, waits: bool) -> None:
        self._take(keeping.empty_versions, at, first, count, waits)

    @precondition(lambda self: self.steps >= REMOVES_AFTER)
    @rule(at=histories.which, below=places)
    def thin(self, at: int, below: int) -> None:
        session = self._session(at)
        if session.is_deleted:
            return
        project_all()
        with acting_as(Role.RETENTION):
            gone = keeping.thin_session(session_id=session.id, below=below)
        assert gone.outcome is Went.DONE
        session.is_thinned = session.is_thinned or below > 0
        assert list(findings(session.id)) == []

    @precondition(lambda self: self.steps >= REMOVES_AFTER)
    @rule(at=histories.which, first=places, count=places)
    def archive(self, at: int, first: int, count: int) -> None:
        """Move bodies into an archive: nothing that is read or written differs."""
        session = self._session(at)
        if session.is_deleted:
            return
        first %= session.head.number + 1
        last = min(first + count, session.head.number)
        project_all()
        before = _archived(session)
        with acting_as(Role.RETENTION):
            gone = keeping.archive_versions(
                session_id=session.id, first=first, last=last
            )
        assert gone.outcome is Went.DONE
        bodies.cache.forget(session.id)
        recent = _shown_from(session, last + 1)
        assert not (_archived(session) - before) & recent
        assert _objects(session) == _named(session)
        assert list(findings(session.id)) == []

    @precondition(lambda self: self.steps >= REMOVES_AFTER)
    @rule(at=st.sampled_from([1, 2, 3]))
    def remove(self, at: int) -> None:
        """Remove one of the later sessions, if there are any."""
        if at >= len(self.store.sessions) or self._session(at).is_removed:
            return
        session = self._session(at)
        project_all()
        with acting_as(Role.RETENTION):
            gone = keeping.remove_session(
                session_id=session.id, removal_id="rem_1", reason="policy"
            )
        is_pinned = bool(self._wanted(session))
        assert gone.outcome is (Went.PINNED if is_pinned else Went.DONE), gone
        if not is_pinned:
            session.is_removed = session.is_deleted = True
            self.desk.forget(session)
            assert _objects(session) == set()
            # Whoever comes next may have the name.
            self.store.names.discard(session.external_id or "")
            assert _rows_of(session) == {}

    def _take(
        self,
        take: Callable[..., Gone],
        at: int,
        first: int,
        count: int,
        waits: bool,
    ) -> None:
        session = self._session(at)
        if session.is_deleted:
            return
        first %= session.head.number + 1
        last = min(first + count, session.head.number)
        places = _places_of_bodies(session)
        waiting = _first_waiting(session) if waits else None
        if not waits:
            project_all()
        with acting_as(Role.RETENTION):
            gone = take(
                session_id=session.id,
                first=first,
                last=last,
                removal_id="rem_1",
                reason="policy",
            )
        assert gone.outcome in (Went.DONE, Went.PINNED)
        is_emptying = take is keeping.empty_versions
        asked = [
            one
            for one in session.versions[first : last + 1]
            if not one.is_gone and not (is_emptying and one.is_emptied)
        ]
        stay = self._staying(session, asked, waiting, is_emptying)
        numbers = {one.number for one in asked}
        assert set(gone.pinned) & numbers == stay, gone.pinned
        for version in asked:
            if version.number not in stay:
                version.is_gone = not is_emptying
                version.is_emptied = version.is_emptied or is_emptying
        # A body that goes moves with the versions that keep what they hold.
        for version in session.versions:
            if version.is_emptied and places.get(version.number) in numbers - stay:
                version.is_hollow = True
        assert gone.versions == len(numbers - stay)
        assert list(findings(session.id)) == []
        assert _objects(session) == _named(session)
        self.desk.forget(session)

    def _staying(
        self,
        session: Session,
        asked: list[Version],
        waiting: int | None,
        is_emptying: bool,
    ) -> set[int]:
        """Name the versions of a range that a policy may not take."""
        stay = self._wanted(session) | set(_restored(session))
        head = session.head
        stay |= {head.number, _place_of_body(session)}
        if waiting is not None:
            stay |= set(range(waiting, head.number + 1))
        if is_emptying:
            return stay & {one.number for one in asked}
        if session.turns:
            stay.add(session.turns[-1].head)
        rollbacks = [v.number for v in session.versions if v.restored is not None]
        stay |= set(rollbacks[-1:])
        stays = {one.number for one in asked} & stay
        going = {one.number for one in asked} - stay
        for version in asked:
            aside = range((version.restored or 0) + 1, version.number)
            left = [n for n in aside if not session.versions[n].is_gone]
            if version.restored is not None and any(n not in going for n in left):
                stays.add(version.number)
                going.discard(version.number)
        return stays

    def _wanted(self, session: Session) -> set[int]:
        """Name the versions that people, forks or what is open ask for."""
        labelled = {v.number for v in session.versions if v.labels and not v.is_gone}
        forked = {
            one.origin[1]
            for one in self.store.sessions
            if one.origin and one.origin[0] is session and not one.is_removed
        }
        opened = {
            number
            for kind, number in session.open_items([])
            if kind in ("waiting", "held")
        }
        # What a checkpointer goes on from.
        named = [v.number for v in session.versions if v.external_id and not v.is_gone]
        return labelled | forked | opened | set(named[-1:])


def _shown_from(session: Session, first: int) -> set[int]:
    """Return the bodies that versions from a number on brought, and that are shown."""
    found = _places_of_bodies(session)
    whole = {
        row.number
        for row in sql.rows(
            "SELECT number FROM timeline_version"
            " WHERE session_id = %s AND body_number = number AND number >= %s",
            [session.id, first],
        )
    }
    return {place for number, place in found.items() if number in whole}


def _archived(session: Session) -> set[int]:
    found = Body.objects.filter(session_id=session.id, codec__gt=bodies.ARCHIVED)
    return set(found.values_list("number", flat=True))


def _named(session: Session) -> set[str]:
    """Return the objects that rows name."""
    found = Body.objects.filter(session_id=session.id, codec__gt=bodies.ARCHIVED)
    return {
        located(bytes(data)).object_name(session.id)
        for data in found.values_list("data", flat=True)
    }


def _objects(session: Session) -> set[str]:
    """Return the objects that there are."""
    with asking() as store:
        return set(store.list(f"archives/{session.id}"))


def _restored(session: Session) -> Iterator[int]:
    for version in session.versions:
        is_live = session.set_aside_by(version.number) is None
        if version.restored is not None and is_live and not version.is_gone:
            yield version.restored


def _places_of_bodies(session: Session) -> dict[int, int]:
    """Return which version has the body that each shows."""
    return {row.number: row.body_number for row in sql.rows(BODIES, [session.id])}


def _place_of_body(session: Session) -> int:
    """Return the version that has the body which the head shows."""
    (row,) = sql.rows(f"{BODIES} AND number = %s", [session.id, session.head.number])
    return int(row.body_number)


def _first_waiting(session: Session) -> int | None:
    (row,) = sql.rows(
        "SELECT min(coalesce(first_number, number)) AS number FROM timeline_pending"
        " WHERE session_id = %s",
        [session.id],
    )
    return None if row.number is None else int(row.number)


def _rows_of(session: Session) -> dict[str, int]:
    """Return how many rows each table of the ledger still has of a session."""
    found = {
        row.name: sql.rows(
            f"SELECT count(*) AS n FROM {row.name} WHERE session_id = %s",
            [session.id],
        )[0].n
        for row in sql.rows(OWNED, [])
    }
    return {name: count for name, count in found.items() if count}
