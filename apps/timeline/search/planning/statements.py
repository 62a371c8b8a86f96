"""Which versions of a session bear what it is tagged with: one statement a tag."""

from __future__ import annotations

from apps.core import keyset
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.search.clauses import Field


def _versions(where: str) -> str:
    return f"""
SELECT v.number FROM timeline_version v
 WHERE v.session_id = w.id AND {where}
   AND {keyset.below("v.number")}
 ORDER BY v.number DESC LIMIT %(limit)s"""  # noqa: S608


# `name` stands in each, so that they take the same parameters.
FLAGGED = _versions("v.flags @> jsonb_build_array(%(name)s::text)")
ROLLBACKS = _versions(
    "v.restored_number IS NOT NULL AND v.op = 'rollback' AND %(name)s::text IS NOT NULL"
)
NAMED = _versions("v.external_id = %(name)s::text")
REASONED = _versions("v.reason_code = %(name)s::text")
# As `ledger/facts/reasons.py` has it.
UNREASONED = _versions(
    r"v.op IN ('update', 'replace', 'turn', 'rollback') AND v.undo_of IS NULL"
    r" AND btrim(coalesce(v.reasoning, ''), E' \t\n\r\x0b\x0c') = ''"
    " AND %(name)s::text IN ('', v.op)"
)
# What versions say of themselves: the tag of their sessions, and who they are.
SAID = {
    Field.RELEASE: (SearchTag.RELEASE, _versions("v.release = %(name)s::text")),
    Field.MODEL: (SearchTag.MODEL, _versions("v.model = %(name)s::text")),
    Field.STEP: (
        SearchTag.STEP,
        _versions("v.step_number::text = %(name)s::text"),
    ),
    Field.OBJECTIVE: (
        SearchTag.OBJECTIVE,
        _versions("v.objective_status = %(name)s::text"),
    ),
    Field.REASON: (SearchTag.REASON, REASONED),
    Field.OP: (SearchTag.OP, _versions("v.op = %(name)s::text")),
}
TRACED = f"""
SELECT DISTINCT number FROM (
    SELECT v.number FROM timeline_version v
     WHERE v.session_id = w.id AND v.trace_id = %(name)s::text
     UNION ALL
    SELECT t.head_number FROM timeline_turn t
     WHERE t.session_id = w.id AND t.trace_id = %(name)s::text) found
 WHERE {keyset.below("number")}
 ORDER BY number DESC LIMIT %(limit)s"""  # noqa: S608
LABELLED = f"""
SELECT l.number FROM timeline_label l
 WHERE l.session_id = w.id AND l.name = %(name)s::text
   AND {keyset.below("l.number")}
 ORDER BY l.number DESC LIMIT %(limit)s"""  # noqa: S608
