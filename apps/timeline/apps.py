from django.apps import AppConfig

from apps.audit.covered import register
from apps.timeline.covered import LABEL, NOTE, REVIEW, SCORE, SESSION


class TimelineConfig(AppConfig):
    name = "apps.timeline"
    label = "timeline"

    def ready(self) -> None:
        register(LABEL, NOTE, REVIEW, SCORE, SESSION)
