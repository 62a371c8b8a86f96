from django.apps import AppConfig

from apps.core.monitoring import exposition


class WebhooksConfig(AppConfig):
    name = "apps.webhooks"
    label = "webhooks"

    def ready(self) -> None:
        """Its families need models, which are there only now."""
        from apps.webhooks.exposition import families

        exposition.SOURCES["webhooks"] = families
