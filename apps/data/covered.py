"""The rows of agents' data that records cover: exceptions from policies.

Whoever added one behind the product's back would let secrets pass unseen.
"""

from apps.audit.covered import Covered

EXCEPTION = Covered(
    kind="exception",
    columns=("rule", "fingerprint", "prefix", "expires_at", "ended_at"),
    key=lambda exception: str(exception.id),
    named=lambda key: f"exception {key} from a policy",
    present="""
    SELECT x.id AS key, x.created_at AS made_at, x.rule, x.fingerprint, x.prefix,
           x.expires_at, x.ended_at
      FROM data_exception x WHERE x.project_id = %(project)s
    """,
)
