"""Verbs of incidents: open, change, note, add and take out sessions, plan an act."""

from apps.incidents.operations.adding import add
from apps.incidents.operations.changing import KEEP, change, note, remove
from apps.incidents.operations.opening import Collected, open_incident
from apps.incidents.operations.planning import plan

__all__ = [
    "KEEP",
    "Collected",
    "add",
    "change",
    "note",
    "open_incident",
    "plan",
    "remove",
]
