"""Experiments: forks of one version beside each other, and the one that was picked."""

from importlib import import_module

from django.apps import AppConfig


class ExperimentsConfig(AppConfig):
    name = "apps.experiments"
    label = "experiments"

    def ready(self) -> None:
        """Say what a removal and an erasure find here."""
        import_module("apps.experiments.keeping")
