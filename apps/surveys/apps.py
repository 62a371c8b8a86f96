"""Surveys: what a check says of many sessions, by release."""

from importlib import import_module

from django.apps import AppConfig


class SurveysConfig(AppConfig):
    name = "apps.surveys"
    label = "surveys"

    def ready(self) -> None:
        """Say what a removal and an erasure find here."""
        import_module("apps.surveys.keeping")
