from django.apps import AppConfig

from apps.audit import feeding
from apps.core.monitoring import exposition


class MetricsConfig(AppConfig):
    name = "apps.metrics"
    label = "metrics"

    def ready(self) -> None:
        """Its families need models, which are there only now."""
        from apps.metrics.alerting import escalating
        from apps.metrics.exposition import families
        from apps.metrics.rollups import note_due

        exposition.SOURCES["metrics"] = families
        feeding.FEEDS["metrics"] = note_due
        feeding.FEEDS["escalations"] = escalating.feed
