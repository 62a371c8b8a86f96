from django.apps import AppConfig

from apps.core.processes import memory


class ServerConfig(AppConfig):
    name = "apps.server"
    label = "server"

    def ready(self) -> None:
        """End what `manage.py` began: all models and what belongs to them is loaded."""
        memory.end_loading()
