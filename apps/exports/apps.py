from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "apps.exports"
    label = "exports"

    def ready(self) -> None:
        """Have the files of exports go with each person who is erased."""
        from apps.exports import keeping  # noqa: F401
