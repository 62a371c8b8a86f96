"""Approvals: people decide about what an agent is about to do."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig

from apps.approvals.covered import APPROVAL, RULE, VOTE
from apps.audit.covered import register


class ApprovalsConfig(AppConfig):
    name = "apps.approvals"
    label = "approvals"

    def ready(self) -> None:
        """Have verification hold what was asked and is listed, and rules be asked."""
        from apps.timeline import hooks

        import_module("apps.approvals.hooks.keeping")
        register(APPROVAL, VOTE, RULE)
        hooks.BEGIN["approvals"] = _before_effect
        hooks.BEGIN_CONCERNS["approvals"] = _concerns_effect
        hooks.ROLLBACK["approvals"] = _before_rollback
        hooks.MERGE["approvals"] = _before_merge
        hooks.COMPENSATION["approvals"] = _before_compensation
        hooks.PLAN["approvals"] = _before_plan
        hooks.FACTS["approvals"] = _renew
        hooks.ASKED["approvals"] = hooks.Asked(
            among=_among, newest=_newest, open=_open, ever=_ever
        )
        hooks.DERIVED["approvals"] = hooks.Derived(
            problems=_undecided_problems, rebuild=_rebuild_undecided
        )


def _before_effect(asked: Any) -> Any:
    from apps.approvals.gates import before_effect

    return before_effect(asked)


def _concerns_effect(act: Any, session_id: str, key: str) -> bool:
    from apps.approvals.gates import concerns_effect

    return concerns_effect(act, session_id, key)


def _before_rollback(asked: Any) -> None:
    from apps.approvals.gates import before_rollback

    before_rollback(asked)


def _before_merge(asked: Any) -> None:
    from apps.approvals.gates import before_merge

    before_merge(asked)


def _before_compensation(asked: Any) -> None:
    from apps.approvals.gates import before_compensation

    before_compensation(asked)


def _before_plan(asked: Any) -> None:
    from apps.approvals.gates import before_plan

    before_plan(asked)


def _renew(failed: Any) -> Any:
    from apps.approvals.operations.renewing import renew

    return renew(failed)


def _undecided_problems(session_id: str) -> Any:
    from apps.approvals.verification.undecided import problems

    return problems(session_id)


def _rebuild_undecided(session_id: str) -> None:
    from apps.approvals.verification.undecided import rebuild

    rebuild(session_id)


def _among(session_ids: Any, now: Any) -> Any:
    from apps.approvals.queries import asked_among

    return asked_among(session_ids, now)


def _newest(project_id: str, limit: int) -> Any:
    from apps.approvals.queries import newest_asked

    return newest_asked(project_id, limit)


def _open(session_id: str, limit: int, now: Any) -> Any:
    from apps.approvals.queries import open_of

    return open_of(session_id, limit, now)


def _ever(head: Any, now: Any) -> Any:
    from apps.approvals.queries import ever_of

    return ever_of(head, now)
