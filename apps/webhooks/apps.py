from importlib import import_module

from django.apps import AppConfig

from apps.audit import feeding
from apps.audit.covered import register
from apps.core.monitoring import exposition
from apps.core.notes import following
from apps.webhooks.covered import WEBHOOK


class WebhooksConfig(AppConfig):
    name = "apps.webhooks"
    label = "webhooks"

    def ready(self) -> None:
        """Its families need models, which are there only now."""
        from apps.webhooks.exposition import families
        from apps.webhooks.feed import feed
        from apps.webhooks.operations.roots import tell

        exposition.SOURCES["webhooks"] = families
        import_module("apps.webhooks.hooks.keeping")
        feeding.FEEDS["webhooks"] = feed
        following.FOLLOWERS["webhooks"] = tell
        register(WEBHOOK)
