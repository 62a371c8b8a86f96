"""Heartbeats, fed with the sessions that begin."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig


class HeartbeatsConfig(AppConfig):
    name = "apps.heartbeats"
    label = "heartbeats"

    def ready(self) -> None:
        """Give new sessions their agent's heartbeat, and say what goes with one."""
        from apps.audit import feeding

        import_module("apps.heartbeats.keeping")
        feeding.FEEDS["heartbeats"] = _feed


def _feed(entries: Any, now: Any) -> None:
    from apps.heartbeats.operations.beginning import begin

    begin(entries, now)
