from django.apps import AppConfig

from apps.audit.covered import register
from apps.timeline.covered import LABEL, NOTE, SESSION


class TimelineConfig(AppConfig):
    name = "apps.timeline"
    label = "timeline"

    def ready(self) -> None:
        register(LABEL, NOTE, SESSION)
