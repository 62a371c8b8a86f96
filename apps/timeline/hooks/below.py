"""What the apps below the timeline keep of sessions and people.

They know no sessions, so it is said here for them. Events, messages and records outlive
a policy's removal; an erasure leaves of them what proves that it was one.
"""

from apps.audit.actions import Action
from apps.timeline.hooks.keeping import (
    ERASED_PEOPLE,
    ERASED_SESSIONS,
    SESSIONS,
    Leavings,
    naming,
)

_REMOVALS = ", ".join(
    f"'{one}'"
    for one in (Action.SESSION_EMPTIED, Action.SESSION_PRUNED, Action.SESSION_REMOVED)
)
_NAMES_IT = (
    "h.project_id = %(project)s"
    " AND position(convert_to(%(session)s, 'UTF8') in h.body) > 0"
)
# As it is, and as JSON has it, also of a check or a search within.
_ONCE = r"""replace(replace({}, '\', '\\'), '"', '\"')"""
_WRITTEN = (
    "%(user)s",
    _ONCE.format("%(user)s"),
    _ONCE.format(_ONCE.format("%(user)s")),
)
_NAMES_USER = "({})".format(
    " OR ".join(
        f"position(convert_to({one}, 'UTF8') in h.body) > 0" for one in _WRITTEN
    )
)
# Of a row that stays, the record keeps what it is held against.
_OF_ROW = "(h.details -> 'row' ->> 'key')"
_ROW_GOES = f"""(NOT h.details ? 'row' OR {_OF_ROW} = ANY(%(sessions)s)
       OR split_part({_OF_ROW}, ' ', 1) = ANY(%(sessions)s))"""
_CONCERNS = f"""(h.resource_id = ANY(%(sessions)s)
       OR h.details ->> 'session_id' = ANY(%(sessions)s)
       OR split_part({_OF_ROW}, ' ', 1) = ANY(%(sessions)s))"""

# What a version names goes with it; the bytes, once nothing else names them.
SESSIONS["blobs"] = (
    Leavings(what="uses_of_files", table="blobs_use", number="number"),
)
ERASED_SESSIONS["accounts"] = (
    Leavings(what="request_keys", table="accounts_storedanswer", where=_NAMES_IT),
)
# A tombstone is held against the event of its removal, which says nothing of contents.
ERASED_SESSIONS["audit"] = (
    Leavings(
        what="messages",
        table="audit_outbox",
        where=f"""h.stream_id = %(session)s AND NOT EXISTS (
            SELECT 1 FROM audit_event e WHERE e.stream_id = %(session)s
               AND e.id = h.event_id AND e.action IN ({_REMOVALS}))""",  # noqa: S608
    ),
    Leavings(
        what="events",
        table="audit_event",
        where=f"h.stream_id = %(session)s AND h.action NOT IN ({_REMOVALS})",
    ),
    # Of the memories of a session or a person, whose chain is their own.
    Leavings(
        what="records", table="audit_auditrecord", where="h.stream_id = %(session)s"
    ),
)
ERASED_PEOPLE["audit"] = (
    Leavings(
        what="record_details",
        table="audit_auditrecord",
        where=f"""h.stream_id = %(project)s AND h.format = 3 AND h.salt IS NOT NULL
             AND {_CONCERNS} AND {_ROW_GOES}""",
        emptied="details = '{}', salt = NULL",
    ),
    Leavings(
        what="event_details",
        table="audit_event",
        where="h.stream_id = %(project)s AND h.details <> '{}'"
        " AND (h.resource_id = ANY(%(sessions)s)"
        " OR h.details ->> 'session_id' = ANY(%(sessions)s))",
        emptied="details = '{}'",
    ),
)
ERASED_PEOPLE["accounts"] = (
    Leavings(
        what="request_keys",
        table="accounts_storedanswer",
        where=f"h.project_id = %(project)s AND %(user)s <> '' AND {_NAMES_USER}",
    ),
    naming("saved_searches", "accounts_savedview", "query"),
    naming("saved_searches", "accounts_savedview", "name"),
)
