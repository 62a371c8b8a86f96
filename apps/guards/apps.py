"""Guards: budgets that pause a session or ask people for more."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig


class GuardsConfig(AppConfig):
    name = "apps.guards"
    label = "guards"

    def ready(self) -> None:
        """Be told of turns that are watched, price others, hear of decisions."""
        from apps.approvals.hooks import deciding
        from apps.timeline import hooks

        import_module("apps.guards.keeping")
        hooks.WATCHERS["guards"] = _turn_stored
        hooks.PRICES["guards"] = _price
        hooks.RESUME["guards"] = _before_resume
        deciding.DECIDED["guards"] = _decided


def _turn_stored(stored: Any) -> None:
    from apps.guards.operations.watching import turn_stored

    turn_stored(stored)


def _before_resume(asked: Any) -> None:
    from apps.guards.gates import before_resume

    before_resume(asked)


def _price(project_id: str, model: str, at: Any, usage: Any) -> Any:
    from apps.guards.pricing import price

    return price(project_id, model, at, usage)


def _decided(decided: Any) -> None:
    from apps.guards.operations.granting import decided as heard

    heard(decided)
