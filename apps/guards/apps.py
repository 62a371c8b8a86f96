"""Guards: budgets, and what agents' writes are held to."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from django.apps import AppConfig


class GuardsConfig(AppConfig):
    name = "apps.guards"
    label = "guards"

    def ready(self) -> None:
        """Be told of turns that are watched, price others, hear of decisions."""
        from apps.approvals.hooks import deciding
        from apps.audit.covered import register
        from apps.guards.covered import BUDGET, GUARD
        from apps.timeline import hooks

        import_module("apps.guards.keeping")
        register(GUARD, BUDGET)
        hooks.WATCHERS["guards"] = _turn_stored
        hooks.PRICES["guards"] = _price
        hooks.STANDING["budget"] = hooks.Asking(
            words=("any", "warned", "reached"), among=_budgeted
        )
        hooks.RESUME["guards"] = _before_resume
        hooks.GUARDS["guards"] = _judging
        hooks.DERIVED["guards"] = hooks.Derived(problems=_problems, rebuild=_rebuild)
        deciding.HOLDING["guards"] = _deciding
        deciding.DECIDED["guards"] = _decided


def _turn_stored(stored: Any) -> None:
    from apps.guards.operations.watching import turn_stored

    turn_stored(stored)


def _budgeted(session_ids: Any, word: str) -> Any:
    from apps.guards.models import Budget

    return Budget.objects.standing_so(session_ids, word)


def _before_resume(asked: Any) -> None:
    from apps.guards.gates import before_resume

    before_resume(asked)


def _judging(act: Any, agent_id: str, session_id: str | None) -> Any:
    from apps.guards.live.judging import judging

    return judging(act, agent_id, session_id)


def _problems(session_id: str) -> Iterator[str]:
    from apps.guards.live.rebuilding import problems

    yield from problems(session_id)


def _rebuild(session_id: str) -> None:
    from apps.guards.live.rebuilding import rebuild

    rebuild(session_id)


def _price(project_id: str, model: str, at: Any, usage: Any) -> Any:
    from apps.guards.pricing import price

    return price(project_id, model, at, usage)


def _deciding(decided: Any) -> None:
    from apps.guards.operations.granting import held

    held(decided)


def _decided(decided: Any) -> None:
    from apps.guards.operations.granting import decided as heard

    heard(decided)
