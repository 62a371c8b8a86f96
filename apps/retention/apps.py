from django.apps import AppConfig

from apps.audit.covered import register
from apps.core.monitoring import exposition, health
from apps.retention.covered import LEGAL_HOLD, POLICY
from apps.retention.health import families, report


class RetentionConfig(AppConfig):
    name = "apps.retention"
    label = "retention"

    def ready(self) -> None:
        register(POLICY, LEGAL_HOLD)
        health.SERVICES["retention"] = report
        exposition.SOURCES["retention"] = families
