from django.apps import AppConfig

from apps.core.monitoring import exposition


class MetricsConfig(AppConfig):
    name = "apps.metrics"
    label = "metrics"

    def ready(self) -> None:
        """Its families need models, which are there only now."""
        from apps.metrics.exposition import families

        exposition.SOURCES["metrics"] = families
