"""How much agents keep: what lists of agents show beside each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apps.accounts.models import Project
from apps.agents.hooks import Counts
from apps.core import sql
from apps.data.models import Checkpoint
from apps.timeline.operations import Document

_TALLIES = sql.across("""
SELECT t.session_id, t.keys, t.config_ordinal
  FROM timeline_tally t
 WHERE t.session_id = ANY(%(ids)s::varchar[])
 LIMIT %(most)s
""")


def count(project: Project, agent_ids: Sequence[str]) -> Mapping[str, Counts]:
    """Return what each of these agents keeps; who has no data is left out.

    Keys whose time is over are counted until they are swept, and checkpoints that
    policies keep no more until the next one is made.
    """
    agents = {
        Document.of_agent(project, agent_id).id: agent_id for agent_id in agent_ids
    }
    checkpoints = Checkpoint.objects.counted(agents)
    return {
        agents[row.session_id]: Counts(
            data=row.keys,
            checkpoints=checkpoints.get(row.session_id, 0),
            config_version=row.config_ordinal,
        )
        for row in sql.rows(_TALLIES, {"ids": list(agents), "most": len(agents)})
    }
