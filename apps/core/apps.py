"""Makes `apps.core` known to Django; it has no models."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "apps.core"
    label = "core"

    def ready(self) -> None:
        """Load our HTTP classes before DRF's views name them, or the two go round."""
        import apps.core.http  # noqa: F401
