"""What is told of schemas of states, and of migrations between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepback.answers.base import Answer, Json


@dataclass(frozen=True, kw_only=True)
class AgentSchema(Answer):
    """What an agent's states of one version are."""

    id: str
    agent_id: str
    version: str
    schema: Mapping[str, Json]
    strict: bool
    created_at: str
    created_by: str
    used_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class SchemaMigration(Answer):
    """How a state of one version becomes one of another; `raw` has `from` as well."""

    id: str
    agent_id: str
    to: str
    steps: Sequence[Mapping[str, Json]]
    created_at: str
    created_by: str
    used_at: str | None = None

    @property
    def before(self) -> str:
        """The version that it leads from."""
        return str(self.raw["from"])
