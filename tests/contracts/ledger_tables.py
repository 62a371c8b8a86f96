"""The linter of session-owned tables: what keeps them fit to be distributed.

It reads the catalogue of a migrated database, not the models, because the ledger's
keys are written in SQL. Each rule returns sentences about what breaks it.
"""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

# By which column a table is distributed, where it is not `session_id`.
DISTRIBUTED_BY = {
    "timeline_session": "id",
    "timeline_sessionname": "project_id",
    "timeline_requestkey": "project_id",
    "timeline_agentresult": "project_id",
    "timeline_agentforgetting": "project_id",
    "audit_event": "stream_id",
    "audit_outbox": "stream_id",
    "audit_auditrecord": "stream_id",
}
# Small tables that every node would have: keys may point to them.
REFERENCE_TABLES = {"agents_agent", "accounts_project"}
IDENTIFIERS = {"session_id", "origin_session_id", "stream_id", "project_id"}
KEY_TYPE = "character varying(31)"
# An agent's id, which some streams have, is one character longer than others.
WIDER = {("audit_auditrecord", "stream_id"): "character varying(32)"}
# Citus needs a setting for each; nothing else may run per row.
ROW_TRIGGERS = {
    "timeline_version_is_immutable",
    "timeline_body_is_immutable",
    "timeline_turn_is_immutable",
    "timeline_note_is_immutable",
    "timeline_review_is_immutable",
    "timeline_score_is_immutable",
    "timeline_summary_is_immutable",
    "timeline_tombstone_is_immutable",
    "timeline_effect_is_immutable",
    "timeline_effectstep_is_immutable",
    "timeline_compensation_is_immutable",
    "timeline_compensationstep_is_immutable",
    "timeline_forgetting_is_immutable",
    "timeline_agentforgetting_is_immutable",
    "timeline_pendingwrite_is_immutable",
    "timeline_hiddenversions_is_immutable",
    "timeline_sessionname_is_immutable",
    "timeline_requestkey_is_immutable",
    "timeline_entry_is_immutable",
    "audit_event_append_only",
    "audit_auditrecord_append_only",
    "memory_contextread_is_immutable",
    "approvals_approval_is_immutable",
    "approvals_vote_is_immutable",
}
# Of history that is no session's: those tables stay on one node.
PROJECT_TRIGGERS = {"incidents_entry_is_immutable"}
# For updates alone, which only retention may ask for: what it may not rewrite.
UPDATE_TRIGGERS = {
    "timeline_version_keeps_the_rest",
    "timeline_body_keeps_the_rest",
    "timeline_turn_keeps_the_rest",
}
# Row triggers say nothing to TRUNCATE.
TRIGGERS = (
    ROW_TRIGGERS
    | UPDATE_TRIGGERS
    | {
        f"{name.removesuffix('_is_immutable').removesuffix('_append_only')}_is_not_emptied"
        for name in ROW_TRIGGERS
    }
)
# Compressed before they are stored: PostgreSQL must not try again.
UNCOMPRESSED = {("timeline_body", "data"), ("timeline_turn", "data")}

OWNED = """
SELECT c.oid, c.relname AS name FROM pg_class c
 WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
   AND (c.relname LIKE 'timeline\\_%' OR c.relname LIKE 'audit\\_%'
        OR c.relname IN ('memory_contextread', 'approvals_approval',
                         'approvals_vote', 'approvals_undecided'))
 ORDER BY c.relname
"""
COLUMNS = """
SELECT c.relname AS table, a.attname AS name, a.attnotnull AS is_required,
       format_type(a.atttypid, a.atttypmod) AS type, l.collname AS collation,
       a.attidentity <> '' AS is_identity, a.attstorage AS storage,
       coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS default
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  LEFT JOIN pg_collation l ON l.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
 WHERE a.attrelid = ANY (%s) AND a.attnum > 0 AND NOT a.attisdropped
"""
UNIQUE_INDEXES = """
SELECT t.relname AS table, i.relname AS name,
       array_agg(a.attname::text) FILTER (WHERE a.attname IS NOT NULL) AS columns
  FROM pg_index x
  JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
  LEFT JOIN pg_attribute a
         ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey::int2[])
 WHERE x.indrelid = ANY (%s) AND (x.indisunique OR x.indisexclusion)
 GROUP BY t.relname, i.relname
"""
FOREIGN_KEYS = """
SELECT k.conname AS name, s.relname AS table, t.relname AS target,
       k.conrelid = ANY (%(owned)s) AS is_owned,
       k.confrelid = ANY (%(owned)s) AS is_target_owned,
       ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u (n, o)
               JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n
              ORDER BY u.o) AS columns,
       ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY u (n, o)
               JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n
              ORDER BY u.o) AS targets
  FROM pg_constraint k
  JOIN pg_class s ON s.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
 WHERE k.contype = 'f'
   AND (k.conrelid = ANY (%(owned)s) OR k.confrelid = ANY (%(owned)s))
"""
CONSTRAINTS = """
SELECT t.relname AS table, k.conname AS name, k.condeferrable AS is_deferrable,
       k.condeferred AS is_deferred
  FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
 WHERE k.conrelid = ANY (%s)
"""
SET_TRIGGERS = """
SELECT t.relname AS table, g.tgname AS name
  FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
 WHERE g.tgrelid = ANY (%s) AND NOT g.tgisinternal
"""


def complaints(connection: psycopg.Connection[Any]) -> list[str]:
    """Return every rule that a session-owned table breaks, as a sentence."""
    with psycopg.Cursor(connection, row_factory=namedtuple_row) as cursor:
        tables = {row.name: row.oid for row in cursor.execute(OWNED)}
        oids = list(tables.values())

        def ask(query: str, params: Any = None) -> list[Any]:
            return cursor.execute(query, params or [oids]).fetchall()

        columns = ask(COLUMNS)
        found = [
            *_about_distribution(tables, columns),
            *_about_columns(columns),
            *_about_unique_indexes(ask(UNIQUE_INDEXES)),
            *_about_foreign_keys(ask(FOREIGN_KEYS, {"owned": oids})),
            *_about_deferral(ask(CONSTRAINTS)),
            *_about_triggers(ask(SET_TRIGGERS)),
        ]
    return sorted(found)


def key_of(table: str) -> str:
    return DISTRIBUTED_BY.get(table, "session_id")


def _about_distribution(tables: Any, columns: list[Any]) -> Iterator[str]:
    keys = {one.table: one for one in columns if one.name == key_of(one.table)}
    for table in tables:
        if table not in keys:
            yield f"{table} has no column {key_of(table)} to be distributed by"
        elif not keys[table].is_required:
            yield f"{table}.{key_of(table)} may be null"


def _about_columns(columns: list[Any]) -> Iterator[str]:
    rules: list[Callable[[Any], str | None]] = [_type_fault, _source_fault]
    for column in columns:
        for rule in rules:
            fault = rule(column)
            if fault:
                yield f"{column.table}.{column.name} {fault}"


def _type_fault(column: Any) -> str | None:
    is_identifier = column.name in IDENTIFIERS | {key_of(column.table)}
    key_type = WIDER.get((column.table, column.name), KEY_TYPE)
    if is_identifier and (column.type, column.collation) != (key_type, "C"):
        return f'is {column.type} in "{column.collation}", not {key_type} in "C"'
    if (column.table, column.name) in UNCOMPRESSED and column.storage != "e":
        return "is not STORAGE EXTERNAL"
    return None


def _source_fault(column: Any) -> str | None:
    if column.is_identity:
        return "is an identity column"
    if "nextval(" in column.default:
        return "takes its default from a sequence"
    return None


def _about_unique_indexes(indexes: list[Any]) -> Iterator[str]:
    for index in indexes:
        if key_of(index.table) not in (index.columns or []):
            yield f"{index.name} is unique without {index.table}.{key_of(index.table)}"


def _about_foreign_keys(keys: list[Any]) -> Iterator[str]:
    for key in keys:
        pairs = list(zip(key.columns, key.targets, strict=True))
        if not key.is_owned:
            yield f"{key.name} points from {key.table}, which no session owns"
        elif key.is_target_owned:
            if (key_of(key.table), key_of(key.target)) not in pairs:
                yield f"{key.name} may point to {key.target} of another session"
        elif key.target not in REFERENCE_TABLES:
            yield f"{key.name} points to {key.target}, which stays on one machine"


def _about_deferral(constraints: list[Any]) -> Iterator[str]:
    for one in constraints:
        if one.is_deferrable:
            yield f"{one.name} is deferrable"


def _about_triggers(triggers: list[Any]) -> Iterator[str]:
    for trigger in triggers:
        if trigger.name not in TRIGGERS:
            yield f"{trigger.name} is a trigger on {trigger.table}"
    for name in TRIGGERS - {trigger.name for trigger in triggers}:
        yield f"{name} is missing"
