"""Approvals: people decide about what an agent is about to do."""

from django.apps import AppConfig

from apps.approvals.covered import APPROVAL, RULE, VOTE
from apps.audit.covered import register


class ApprovalsConfig(AppConfig):
    name = "apps.approvals"
    label = "approvals"

    def ready(self) -> None:
        """Have verification hold what was asked, voted and ruled."""
        register(APPROVAL, VOTE, RULE)
