"""What goes with a session that is removed: its budgets."""

from apps.timeline.hooks.keeping import SESSIONS, Leavings

SESSIONS["guards"] = (Leavings(what="budgets", table="guards_budget"),)
