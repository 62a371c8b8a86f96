"""What can go wrong with an agent."""

from apps.core.errors import DomainError, NotFound


class AgentNotFound(NotFound):
    """There is no such agent in this project."""

    code = "agent_not_found"


class MappingChanged(DomainError):
    """Somebody has changed this agent's mapping since you looked: look again."""

    code = "version_conflict"


class AgentExists(DomainError):
    """An agent with this external id exists already."""

    code = "agent_exists"


class AgentDeleted(DomainError):
    """This agent is deleted: it can be read, and an administrator brings it back."""

    code = "agent_deleted"


class AgentSuspended(DomainError):
    """This agent is suspended: it can be read, but it cannot write."""

    code = "agent_suspended"
