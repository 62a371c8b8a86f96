from collections.abc import Callable
from datetime import datetime

from django.apps import AppConfig


class ErasuresConfig(AppConfig):
    name = "apps.erasures"
    label = "erasures"

    def ready(self) -> None:
        """Have erasures done by who may remove, and certificates be verified."""
        from apps.timeline.hooks.keeping import CERTIFICATES, URGENT

        URGENT["erasures"] = _sweep
        CERTIFICATES["erasures"] = _problems


def _sweep(now: datetime, is_stopping: Callable[[], bool]) -> int:
    from apps.erasures.running import sweep

    return sweep(now=now, is_stopping=is_stopping)


def _problems(data: bytes, value: str) -> list[str]:
    from apps.erasures.checking import problems

    return problems(data, value)
