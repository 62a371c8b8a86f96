"""Writing to a shared document by its name: the first write makes it."""

from __future__ import annotations

from collections.abc import Callable

from apps.agents import operations as agents
from apps.agents.acts import Act
from apps.timeline.errors import SessionNotFound, SharedNotFound
from apps.timeline.ledger.documents.shared import SharedName, acting, begin
from apps.timeline.ledger.drafts import Receipt


def write_shared(
    *,
    act: Act,
    name: SharedName,
    write: Callable[[Act, str], Receipt],
    makes: bool = True,
) -> Receipt:
    """Append to the document what `write` does to the session that is behind it.

    One that is not there is made first, with an empty state, unless `makes` says that
    there is nothing to be written then.

    Raises: PermissionDenied, AgentSuspended, AgentDeleted, SharedNotFound, Leased,
    FenceStale, and what `write` raises.
    """
    require_writer(act, name)
    own, session_id = acting(act), name.id_in(act.scope)
    try:
        return write(own, session_id)
    except SessionNotFound:
        if not makes:
            raise SharedNotFound(param="name") from None
    begin(act, name)
    try:
        return write(own, session_id)
    except SessionNotFound:
        # It is there, and was deleted.
        raise SharedNotFound(param="name") from None


def require_writer(act: Act, name: SharedName) -> None:
    """Refuse who may not write here; an unknown agent is registered on the way.

    Raises: PermissionDenied, AgentSuspended, AgentDeleted, SharedNotFound.
    """
    if name.agent is None:
        return
    act.scope.require_agent(name.agent)
    agent = agents.register(act=act, external_id=name.agent)
    if agent.external_id != name.agent:
        raise SharedNotFound(
            "A shared document goes by the name that your code has for the agent: "
            f"{agent.external_id}.",
            param="name",
        )
    # A suspension stops the agent, not the people who look into what it did.
    if act.actor.is_agent:
        agent.require_writing()
