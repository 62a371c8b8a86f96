from collections.abc import Callable
from datetime import datetime

from django.apps import AppConfig


class ErasuresConfig(AppConfig):
    name = "apps.erasures"
    label = "erasures"

    def ready(self) -> None:
        """Have erasures done by who may remove; certificates signed and verified."""
        from apps.erasures.leaves import certificates
        from apps.timeline.hooks.keeping import CERTIFICATES, URGENT
        from apps.witness.hooks import SIGNED_ONCE

        URGENT["erasures"] = _sweep
        CERTIFICATES["erasures"] = _problems
        SIGNED_ONCE["certificates"] = certificates


def _sweep(now: datetime, is_stopping: Callable[[], bool]) -> int:
    from apps.erasures.running import sweep

    return sweep(now=now, is_stopping=is_stopping)


def _problems(data: bytes, value: str) -> list[str]:
    from apps.erasures.checking import problems

    return problems(data, value)
