"""Approvals: people decide about what an agent is about to do."""

from typing import Any

from django.apps import AppConfig

from apps.approvals.covered import APPROVAL, RULE, VOTE
from apps.audit.covered import register


class ApprovalsConfig(AppConfig):
    name = "apps.approvals"
    label = "approvals"

    def ready(self) -> None:
        """Have verification hold what was asked, and the timeline ask the rules."""
        from apps.timeline import hooks

        register(APPROVAL, VOTE, RULE)
        hooks.BEGIN["approvals"] = _before_effect
        hooks.ROLLBACK["approvals"] = _before_rollback
        hooks.COMPENSATION["approvals"] = _before_compensation
        hooks.PLAN["approvals"] = _before_plan


def _before_effect(asked: Any) -> Any:
    from apps.approvals.gates import before_effect

    return before_effect(asked)


def _before_rollback(asked: Any) -> None:
    from apps.approvals.gates import before_rollback

    before_rollback(asked)


def _before_compensation(asked: Any) -> None:
    from apps.approvals.gates import before_compensation

    before_compensation(asked)


def _before_plan(asked: Any) -> None:
    from apps.approvals.gates import before_plan

    before_plan(asked)
