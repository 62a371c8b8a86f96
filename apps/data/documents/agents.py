"""Find the agent whose data is meant: every read and every write does so first."""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS

from apps.agents.errors import AgentNotFound
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.core import sql
from apps.data.documents import known
from apps.timeline.operations import Document

# The other fields are read where somebody asks for them.
_FIELDS = (
    "id",
    "project_id",
    "external_id",
    "name",
    "status",
    "deleted_at",
    "created_at",
    "updated_at",
)
# As `AgentQuerySet.visible_to` and `named` have it, whose statement takes longer to
# write than a value under a key takes to be read.
_COLUMNS = ", ".join(f"a.{name}" for name in _FIELDS)
_NAMED = sql.PreparedQuery(f"""
SELECT {_COLUMNS}
  FROM agents_agent a
 WHERE a.project_id = %(project)s::varchar
   AND (a.id = %(reference)s::varchar OR a.external_id = %(reference)s::varchar)
   AND (%(agents)s::varchar[] IS NULL OR a.external_id = ANY (%(agents)s::varchar[]))
 ORDER BY a.id LIMIT 1
""")  # noqa: S608


def agent_named(scope: Scope, reference: str) -> Agent:
    """Return the agent that is called so by us or by its own code.

    Raises: AgentNotFound.
    """
    asked = {
        "project": scope.project.id,
        "reference": reference,
        "agents": scope.agent_list,
    }
    found = sql.run_prepared(_NAMED, asked)
    if not found:
        raise AgentNotFound
    agent = Agent.from_db(DEFAULT_DB_ALIAS, _FIELDS, found[0])
    name = (scope.project.id, reference)
    if known.AGENTS.get(name) is None:
        document = Document.of_agent(scope.project, agent.id)
        known.AGENTS.learn(name, (agent.id, document.id))
    return agent


def known_document(scope: Scope, reference: str) -> Document | None:
    """Return the document of an agent that was found before, by a caller of any.

    None also where the caller may not see every agent.
    """
    found = known.AGENTS.get((scope.project.id, reference))
    if found is None or scope.agents is not None:
        return None
    agent_id, own_id = found
    return Document(id=own_id, project=scope.project, agent_id=agent_id)
