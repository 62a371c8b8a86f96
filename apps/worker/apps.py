"""The worker: what has to be done without anybody asking for it."""

from django.apps import AppConfig

from apps.core.monitoring import exposition, health
from apps.worker.health import families, report, report_projector


class WorkerConfig(AppConfig):
    name = "apps.worker"
    label = "worker"

    def ready(self) -> None:
        health.SERVICES["worker"] = report
        health.SERVICES["projector"] = report_projector
        exposition.SOURCES["worker"] = families
