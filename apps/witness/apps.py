"""The witness: signs the heads of histories into notes outside the database."""

from django.apps import AppConfig

from apps.core.monitoring import health
from apps.witness.health import report


class WitnessConfig(AppConfig):
    name = "apps.witness"
    label = "witness"

    def ready(self) -> None:
        health.SERVICES["signatures"] = report
