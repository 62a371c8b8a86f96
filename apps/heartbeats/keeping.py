"""What goes with a session that is removed: its heartbeat."""

from apps.timeline.hooks.keeping import SESSIONS, Leavings

SESSIONS["heartbeats"] = (Leavings(what="heartbeats", table="heartbeats_heartbeat"),)
