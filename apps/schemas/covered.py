"""The rows that records cover: what was declared, by whom; not whether it was used."""

from __future__ import annotations

from apps.audit.covered import Covered

_BY = ("actor_kind", "actor_id", "actor_label", "created_at")

SCHEMA = Covered(
    kind="schema",
    columns=("agent_id", "version", "body", "strict", *_BY),
    key=lambda schema: str(schema.id),
    named=lambda key: f"schema {key}",
    present="""
    SELECT s.id AS key, s.created_at AS made_at, s.agent_id, s.version, s.body,
           s.strict, s.actor_kind, s.actor_id, s.actor_label, s.created_at
      FROM schemas_agentschema s
     WHERE s.project_id = %(project)s
    """,
)
MIGRATION = Covered(
    kind="migration of states",
    columns=("agent_id", "from_version", "to_version", "steps", *_BY),
    key=lambda migration: str(migration.id),
    named=lambda key: f"migration of states {key}",
    present="""
    SELECT m.id AS key, m.created_at AS made_at, m.agent_id, m.from_version,
           m.to_version, m.steps, m.actor_kind, m.actor_id, m.actor_label,
           m.created_at
      FROM schemas_schemamigration m
     WHERE m.project_id = %(project)s
    """,
)
