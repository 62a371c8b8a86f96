"""The rows of accounts that records cover: projects' settings, keys, memberships.

Not when a key was used last, and not with which view somebody opens their list: no
record says either.
"""

from apps.audit.covered import Covered

PROJECT = Covered(
    kind="project",
    columns=(
        "slug",
        "name",
        "handling",
        "needs_second_factor",
        "floor",
        "search_by_meaning",
        "needs_rollback_reason",
        "data_key",
        "masks",
    ),
    key=lambda project: str(project.id),
    named=lambda key: f"the settings of project {key}",
    present="""
    SELECT p.id AS key, p.created_at AS made_at, p.slug, p.name, p.handling,
           p.needs_second_factor, p.floor, p.search_by_meaning,
            p.needs_rollback_reason, p.data_key, p.masks
      FROM accounts_project p WHERE p.id = %(project)s
    """,
)
KEY = Covered(
    kind="key",
    columns=(
        "name",
        "secret_hash",
        "scope",
        "agents",
        "rate_limit",
        "expires_at",
        "revoked_at",
    ),
    key=lambda key: str(key.id),
    named=lambda key: f"API key {key}",
    present="""
    SELECT k.id AS key, k.created_at AS made_at, k.name, k.secret_hash, k.scope,
           k.agents, k.rate_limit, k.expires_at, k.revoked_at
      FROM accounts_apikey k WHERE k.project_id = %(project)s
    """,
)
MEMBERSHIP = Covered(
    kind="member",
    columns=("role", "reads_unmasked"),
    key=lambda membership: str(membership.user_id),
    named=lambda key: f"the membership of {key}",
    present="""
    SELECT m.user_id AS key, m.created_at AS made_at, m.role, m.reads_unmasked
      FROM accounts_membership m WHERE m.project_id = %(project)s
    """,
)
