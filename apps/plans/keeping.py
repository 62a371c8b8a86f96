"""What plans keep of a session, and of a person in the search that they began with."""

from apps.timeline.hooks.keeping import ERASED_PEOPLE, SESSIONS, Leavings

SESSIONS["plans"] = (Leavings(what="plan_items", table="plans_item"),)
ERASED_PEOPLE["plans"] = (
    Leavings(
        what="searches",
        table="plans_plan",
        where="h.project_id = %(project)s AND %(user)s <> ''"
        " AND position(%(user)s in h.query) > 0",
        emptied="query = NULL",
    ),
)
