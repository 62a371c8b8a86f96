"""An act in a project: made once at the door, passed down whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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

    @property
    def by(self) -> dict[str, Any]:
        """Return who acts and when, as the rows that it leaves keep it."""
        return {
            "actor_kind": self.actor.kind.value,
            "actor_id": self.actor.id,
            "actor_label": self.actor.label,
            "created_at": self.now,
        }
