"""Makes `apps.core` known to Django; it has no models."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "apps.core"
    label = "core"
