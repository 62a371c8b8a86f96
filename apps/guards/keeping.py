"""What goes with a session that is removed: budgets, verdicts, refusals, examples."""

from apps.timeline.hooks.keeping import SESSIONS, Leavings

# An example names a session and a version, and nothing of it.
_EXAMPLES = """(SELECT coalesce(jsonb_agg(e), '[]')
    FROM jsonb_array_elements(h.examples) e
    WHERE e ->> 'session_id' <> %(session)s)"""
_NAMES_IT = """h.examples @> jsonb_build_array(
    jsonb_build_object('session_id', %(session)s::text))"""

SESSIONS["guards"] = (
    Leavings(what="budgets", table="guards_budget"),
    Leavings(what="verdicts", table="guards_verdict", number="number"),
    # Of no version: what would have been one is nowhere.
    Leavings(what="refusals", table="guards_refusal"),
    Leavings(
        what="trial_examples",
        table="guards_trial",
        where=_NAMES_IT,
        emptied=f"examples = {_EXAMPLES}",
    ),
)
