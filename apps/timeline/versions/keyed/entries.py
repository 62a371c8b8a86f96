"""Read keyed documents: what stands under their keys, now or at an earlier version.

A key whose time is over is absent, swept or not. Keys come in the order of their bytes,
and the config, which stands under the empty key, is in no list of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.core import keyset, sql
from apps.core.database.kinds import OfSession
from apps.timeline import bodies
from apps.timeline.errors import KeyNotFound
from apps.timeline.versions.keyed.keys import behind


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """A keyed document as a whole, at its head. Without expired keys."""

    number: int
    keys: int
    bytes: int
    config_ordinal: int
    # The version that set the config; 0 where there is none.
    config_number: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class EntryRow:
    """What stands under a key since version `number`; no body: it is absent.

    `created_at` is when the key came to be, as far as that is known: at an earlier
    version it is the time of that entry.
    """

    key: str
    number: int
    ordinal: int
    body_number: int | None
    size: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    commitment: bytes | None
    # A removal took the value that stood there.
    is_emptied: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class PastEntry:
    """One thing that was done to a key: by whom, when, and what it left."""

    session_id: str
    key: str
    number: int
    ordinal: int
    body_number: int | None
    size: int
    expires_at: datetime | None
    cause: str
    op: str
    restored_number: int | None
    actor_kind: str
    actor_id: str
    actor_label: str
    reasoning: str | None
    trace_id: str
    created_at: datetime
    commitment: bytes | None
    # A removal took the value that it left.
    is_emptied: bool = False

    def __post_init__(self) -> None:
        """Open what an encrypting project has sealed.

        Raises: KeysUnavailable.
        """
        reasoning = bodies.opened_text(self.session_id, self.reasoning)
        object.__setattr__(self, "reasoning", reasoning)


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """A key that shows another body at one version than at another."""

    key: str
    before: int | None
    after: int | None
    size_before: int
    size_after: int


_STANDING = sql.of_session(sql.query("timeline", "document_standing"))
_COUNT = sql.of_session(sql.query("timeline", "document_keys"))
_AT_VERSION = sql.of_session(sql.query("timeline", "entries_at"))
_BETWEEN = sql.of_session(sql.query("timeline", "entries_between"))


def _now(wanted: str) -> OfSession:
    return sql.of_session(sql.query("timeline", "entries_now", wanted=wanted))


def _past(wanted: str) -> OfSession:
    return sql.of_session(sql.query("timeline", "entries_past", wanted=wanted))


_ONE = sql.PreparedQuery(_now("AND h.key = %(key)s::text"))
_PAGE = _now("""
   AND h.key > %(after)s::text AND h.key >= %(first)s::text AND h.key < %(before)s::text
 ORDER BY h.key OFFSET %(offset)s LIMIT %(limit)s""")
_NAMED = sql.PreparedQuery(_now("AND h.key = ANY(%(keys)s::text[])"))
_HISTORY = _past(f"""
   AND e.key = %(key)s::text AND {keyset.below("e.ordinal")}
 ORDER BY e.number DESC LIMIT %(limit)s""")
_OF_VERSIONS = _past("""
   AND e.number BETWEEN %(first)s AND %(last)s ORDER BY e.number, e.key""")
_ONE_AT = _past("""
   AND e.key = %(key)s::text AND e.number <= %(at)s ORDER BY e.number DESC LIMIT 1""")
_TO_EXPIRE = sql.of_session("""
SELECT max(x.expires_at) AS moment FROM (
    SELECT h.expires_at FROM timeline_keyhead h
     WHERE h.session_id = %(session)s AND h.expires_at <= %(now)s
     ORDER BY h.expires_at LIMIT %(most)s) x
""")


_TOUCHED = sql.of_session("""
SELECT count(*) AS keys FROM (
    SELECT FROM timeline_entry e
     WHERE e.session_id = %(session)s AND e.number = %(number)s LIMIT %(most)s) x
""")


def standing(document_id: str, *, now: datetime) -> Standing | None:
    """Return the document as a whole; None where nothing was stored yet."""
    found = sql.records(Standing, _STANDING, {"session": document_id, "now": now})
    return found[0] if found else None


def entry(document_id: str, key: str, *, now: datetime) -> EntryRow:
    """Return what stands under a key now.

    Raises: KeyNotFound.
    """
    asked = {"session": document_id, "key": key, "now": now}
    found = sql.run_prepared(_ONE, asked)
    if not found:
        raise KeyNotFound(param="key")
    return EntryRow(**found[0]._asdict())


def entries(
    document_id: str,
    *,
    prefix: str = "",
    after: str = "",
    offset: int = 0,
    limit: int,
    now: datetime,
) -> list[EntryRow]:
    """Return up to `limit` keys behind `after` that begin with `prefix`."""
    asked = {
        "session": document_id,
        "after": after,
        "first": prefix,
        "before": behind(prefix),
        "offset": offset,
        "limit": limit,
        "now": now,
    }
    return sql.records(EntryRow, _PAGE, asked)


def entries_named(
    document_id: str, keys: Sequence[str], *, now: datetime
) -> list[EntryRow]:
    """Return what stands under these keys now; what is absent is left out."""
    asked = {"session": document_id, "keys": sql.text_array(keys), "now": now}
    found = sql.run_prepared(_NAMED, asked) if keys else []
    return [EntryRow(**row._asdict()) for row in found]


def count_keys(document_id: str, *, prefix: str, most: int, now: datetime) -> int:
    """Return how many keys begin with `prefix`, at most `most`."""
    asked = {
        "session": document_id,
        "first": prefix,
        "before": behind(prefix),
        "most": most,
        "now": now,
    }
    return int(sql.rows(_COUNT, asked)[0].keys)


def entry_at(document_id: str, key: str, number: int) -> PastEntry:
    """Return what stood under a key at a version.

    Raises: KeyNotFound where it was absent.
    """
    asked = {"session": document_id, "key": key, "at": number}
    found = sql.records(PastEntry, _ONE_AT, asked)
    if not found or found[0].body_number is None:
        raise KeyNotFound(param="key")
    return found[0]


def entries_at(
    document_id: str,
    number: int,
    *,
    prefix: str = "",
    after: str = "",
    limit: int,
    moment: datetime,
) -> list[EntryRow]:
    """Return keys as `entries` does, as they were at a version.

    Those whose time was over at `moment` are left out.
    """
    asked = {
        "session": document_id,
        "at": number,
        "after": after,
        "first": prefix,
        "before": behind(prefix),
        "limit": limit,
        "moment": moment,
    }
    return sql.records(EntryRow, _AT_VERSION, asked)


def history(
    document_id: str, key: str, *, before: int | None, limit: int
) -> list[PastEntry]:
    """Return what was done to a key, the newest first, before its ordinal `before`."""
    asked = {"session": document_id, "key": key, "before": before, "limit": limit}
    return sql.records(PastEntry, _HISTORY, asked)


def entries_of(document_id: str, first: int, last: int) -> list[PastEntry]:
    """Return what these versions left under their keys."""
    asked = {"session": document_id, "first": first, "last": last}
    return sql.records(PastEntry, _OF_VERSIONS, asked)


def count_touched(document_id: str, number: int, *, most: int) -> int:
    """Return of how many keys a version is told, at most `most`."""
    asked = {"session": document_id, "number": number, "most": most}
    return int(sql.rows(_TOUCHED, asked)[0].keys)


def differences(
    document_id: str,
    first: int,
    second: int,
    *,
    after: str = "",
    limit: int,
    moment: datetime,
) -> list[Difference]:
    """Return the keys behind `after` whose body at `second` is not that at `first`.

    Either may be the later one. What was over at `moment` is absent at both.
    """
    asked = {
        "session": document_id,
        "first": first,
        "second": second,
        "after": after,
        "limit": limit,
        "moment": moment,
    }
    return sql.records(Difference, _BETWEEN, asked)


def moment_to_expire(document_id: str, *, now: datetime, most: int) -> datetime | None:
    """Return up to when keys are to be swept: about `most` of them, None for none."""
    asked = {"session": document_id, "now": now, "most": most}
    moment: datetime | None = sql.rows(_TO_EXPIRE, asked)[0].moment
    return moment
