"""What part of a project a caller may touch: all of it, or some agents only."""

from dataclasses import dataclass

from apps.accounts.models import Project
from apps.core.errors import PermissionDenied


@dataclass(frozen=True, slots=True)
class Scope:
    """`agents` are external ids; None means every agent of the project.

    `kind` is what kind of rows is meant where sessions are looked up: a door that is
    made for sessions finds nothing else.
    """

    project: Project
    agents: frozenset[str] | None = None
    kind: str = "session"

    @property
    def agent_list(self) -> list[str] | None:
        """As a query parameter."""
        return None if self.agents is None else sorted(self.agents)

    def require_agent(self, external_id: str) -> None:
        """Refuse to create something for an agent outside the scope.

        Raises: PermissionDenied. (What exists outside the scope answers 404.)
        """
        if self.agents is not None and external_id not in self.agents:
            raise PermissionDenied(
                "This key is limited to other agents.", param="agent_id"
            )
