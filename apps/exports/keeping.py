"""What an erasure takes of exports: each file of the project may hold the person.

The step that is making one is waited for, and is the last. What is asked for afterwards
finds nothing of the person. The erasure takes the pieces itself, before it is over; see
`operations.taking`.
"""

from apps.exports.words import State
from apps.timeline.hooks.keeping import ERASED_PEOPLE, Leavings

# Whoever was exported alone is named in what was asked for.
_IS_ABOUT = """(%(user)s <> '' AND h.asked ->> 'user_id' = %(user)s
       OR h.asked ->> 'session_id' = ANY (%(sessions)s))"""

ERASED_PEOPLE["exports"] = (
    Leavings(
        what="exports",
        table="exports_export",
        where="h.project_id = %(project)s"
        f" AND (h.state IN ('making', 'ready') OR {_IS_ABOUT})",
        emptied=f"state = '{State.ERASED.value}', asked = '{{}}'",
    ),
)
