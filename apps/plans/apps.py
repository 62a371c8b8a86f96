"""Plans: one act on many sessions, shown before it is done, item by item."""

from importlib import import_module

from django.apps import AppConfig


class PlansConfig(AppConfig):
    name = "apps.plans"
    label = "plans"

    def ready(self) -> None:
        """Say what an erasure finds here."""
        import_module("apps.plans.keeping")
