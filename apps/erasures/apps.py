from django.apps import AppConfig


class ErasuresConfig(AppConfig):
    name = "apps.erasures"
    label = "erasures"

    def ready(self) -> None:
        """Have certificates signed, and held against the database by `verify`."""
        from apps.erasures.leaves import certificates
        from apps.timeline.hooks.erasing import CERTIFICATES
        from apps.witness.hooks import SIGNED_ONCE

        CERTIFICATES["erasures"] = _problems
        SIGNED_ONCE["certificates"] = certificates


def _problems(data: bytes, value: str) -> list[str]:
    from apps.erasures.checking import problems

    return problems(data, value)
