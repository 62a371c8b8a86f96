from django.apps import AppConfig


class ErasuresConfig(AppConfig):
    name = "apps.erasures"
    label = "erasures"

    def ready(self) -> None:
        """Have `verify` hold certificates against the database."""
        from apps.timeline.hooks.keeping import CERTIFICATES

        CERTIFICATES["erasures"] = _problems


def _problems(data: bytes, value: str) -> list[str]:
    from apps.erasures.checking import problems

    return problems(data, value)
