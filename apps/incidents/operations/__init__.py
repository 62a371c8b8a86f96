"""Verbs of incidents: open, change, write a note, take a session out."""

from apps.incidents.operations.changing import KEEP, change, note, remove
from apps.incidents.operations.opening import Collected, open_incident

__all__ = ["KEEP", "Collected", "change", "note", "open_incident", "remove"]
