"""The witness: signs the heads of histories into notes outside the database."""

from django.apps import AppConfig

from apps.audit import feeding
from apps.core.monitoring import exposition, health


class WitnessConfig(AppConfig):
    name = "apps.witness"
    label = "witness"

    def ready(self) -> None:
        """Its feed and its health need models, which are there only now."""
        from apps.witness.heads import note_moved
        from apps.witness.health import report
        from apps.witness.witnesses.progress import families

        exposition.SOURCES["witness"] = families
        health.SERVICES["signatures"] = report
        feeding.FEEDS["witness"] = note_moved
