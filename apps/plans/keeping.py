"""What plans keep of a session, and of a person in what they were asked for by."""

from apps.timeline.hooks.keeping import (
    ERASED_PEOPLE,
    SESSIONS,
    Leavings,
    naming,
    within,
)

SESSIONS["plans"] = (Leavings(what="plan_items", table="plans_item"),)
ERASED_PEOPLE["plans"] = (
    Leavings(
        what="searches",
        table="plans_plan",
        where=f"h.project_id = %(project)s AND %(user)s <> '' AND {within('h.query')}",
        emptied="query = NULL",
    ),
    # The versions that it has found stay: they are numbers, and what is to be done.
    naming(
        "plan_checks",
        "plans_plan",
        "params->>'check'",
        "params = jsonb_set(h.params, '{check}', '\"…\"')",
    ),
)
