"""The part of an agent that records cover: what an administrator has mapped.

An agent is mapped by an act with a record, or not at all. The rest of it is its own
code's affair.
"""

from apps.audit.covered import Covered

MAPPING = Covered(
    kind="mapping",
    columns=("title_path", "user_path", "waiting", "noise"),
    key=lambda agent: str(agent.id),
    named=lambda key: f"the mapping of agent {key}",
    present="""
    SELECT a.id AS key, coalesce(a.mapped_at, a.created_at) AS made_at, a.title_path,
           a.user_path, a.waiting, a.noise
      FROM agents_agent a
     WHERE a.project_id = %(project)s
       AND (a.mapped_at IS NOT NULL OR a.title_path IS NOT NULL
            OR a.user_path IS NOT NULL OR a.waiting IS NOT NULL OR a.noise <> '{}')
    """,
)
