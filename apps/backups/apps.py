from django.apps import AppConfig

from apps.backups.health import families, report
from apps.core.monitoring import exposition, health


class BackupsConfig(AppConfig):
    name = "apps.backups"
    label = "backups"

    def ready(self) -> None:
        health.SERVICES["backups"] = report
        exposition.SOURCES["backups"] = families
