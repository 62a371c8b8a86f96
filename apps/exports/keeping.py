"""What an erasure takes of exports: each file of the project may hold the person."""

from apps.exports.words import State
from apps.timeline.hooks.keeping import ERASED_PEOPLE, Leavings

# In this order: the step that is making one is waited for, and is the last. What is
# asked for afterwards finds nothing of the person, and keeps its pieces.
ERASED_PEOPLE["exports"] = (
    Leavings(
        what="exports",
        table="exports_export",
        where="h.project_id = %(project)s AND h.state IN ('making', 'ready')",
        emptied=f"state = '{State.ERASED.value}'",
    ),
    Leavings(
        what="export_pieces",
        table="exports_piece",
        where="h.export_id IN (SELECT e.id FROM exports_export e"
        " WHERE e.project_id = %(project)s AND e.state = 'erased')",
    ),
)
