"""Schemas: what an agent's states are, by version, and how one becomes another."""

from django.apps import AppConfig

from apps.audit.covered import register
from apps.schemas.covered import MIGRATION, SCHEMA


class SchemasConfig(AppConfig):
    name = "apps.schemas"
    label = "schemas"

    def ready(self) -> None:
        """Have verification hold what is declared against its records."""
        register(SCHEMA, MIGRATION)
