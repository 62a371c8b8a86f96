"""Who asks may not: the key, or the agent that it writes for."""

from __future__ import annotations

from stepback.failures import ApiError


class AuthenticationFailed(ApiError):
    """There is no such key, or it has ended."""

    code = "authentication_failed"

    @property
    def reason(self) -> str | None:
        """missing, unknown, revoked or expired."""
        found = self.details.get("reason")
        return None if found is None else str(found)


class PermissionDenied(ApiError):
    """The key does not reach so far."""

    code = "permission_denied"


class AgentSuspended(ApiError):
    """The agent may not write until it is activated."""

    code = "agent_suspended"


class AgentDeleted(ApiError):
    """The agent may not write until an administrator brings it back."""

    code = "agent_deleted"
