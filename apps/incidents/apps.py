"""Incidents: what went wrong in many sessions, who looks after it, what was done."""

from importlib import import_module

from django.apps import AppConfig


class IncidentsConfig(AppConfig):
    name = "apps.incidents"
    label = "incidents"

    def ready(self) -> None:
        """Say what a removal and an erasure find here."""
        import_module("apps.incidents.keeping")
