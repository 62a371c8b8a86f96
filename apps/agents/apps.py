from django.apps import AppConfig

from apps.agents.covered import MAPPING
from apps.audit.covered import register


class AgentsConfig(AppConfig):
    name = "apps.agents"
    label = "agents"

    def ready(self) -> None:
        register(MAPPING)
