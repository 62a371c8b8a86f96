"""An act in a project: made once at the door, passed down whole."""

from __future__ import annotations

from dataclasses import dataclass

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.core.provenance import Provenance


@dataclass(frozen=True, kw_only=True, slots=True)
class Act(Provenance):
    """Who acts, where, when, and under which request."""

    scope: Scope
    # The API key that is looked at again where the act takes effect; None where none
    # came with it.
    api_key_id: str | None = None

    @property
    def project(self) -> Project:
        return self.scope.project

    @property
    def project_id(self) -> str:
        return str(self.scope.project.id)
