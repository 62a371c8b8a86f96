from importlib import import_module

from django.apps import AppConfig

from apps.audit import feeding


class WatchingConfig(AppConfig):
    name = "apps.watching"
    label = "watching"

    def ready(self) -> None:
        """What is fed needs models, which are there only now."""
        from apps.watching.feed import feed

        feeding.FEEDS["watching"] = feed
        import_module("apps.watching.keeping")
