"""What experiments keep of a session, and of a person in a name or a check."""

from apps.timeline.hooks.keeping import ERASED_PEOPLE, SESSIONS, Leavings, naming

# What stands for a name that named the person.
ERASED = "…"
SESSIONS["experiments"] = (
    Leavings(what="experiment_variants", table="experiments_variant"),
    Leavings(
        what="experiments",
        table="experiments_experiment",
        emptied="session_id = NULL",
    ),
)
ERASED_PEOPLE["experiments"] = (
    naming("experiment_names", "experiments_experiment", "name", f"name = '{ERASED}'"),
    naming(
        "experiment_checks",
        "experiments_experiment",
        "checks::text",
        "checks = '[]'::jsonb",
    ),
)
