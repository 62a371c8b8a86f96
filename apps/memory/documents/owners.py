"""Whose memories are meant: every read and every write finds that out first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from apps.agents.errors import AgentNotFound
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.core import sql
from apps.core.errors import InvalidRequest
from apps.memory.documents.contents import LONGEST_NAME, require_name
from apps.memory.models import MemoryScope
from apps.timeline.errors import SessionNotFound
from apps.timeline.models import Session
from apps.timeline.operations import Document
from apps.timeline.versions import VersionRow

# In the order of their models. By the ORM, which writes all columns of both anew, this
# was a quarter of a search.
SESSION_FIELDS = ("id", "project_id", "agent_id", "user_id", "head_number")
AGENT_FIELDS = ("id", "project_id", "external_id", "name", "status", "deleted_at")
_VISIBLE = sql.PreparedQuery(
    sql.of_session("""
SELECT s.id, s.project_id, s.agent_id, s.user_id, s.head_number,
       a.id AS agent, a.project_id AS agents_project, a.external_id, a.name, a.status,
       a.deleted_at
  FROM timeline_session s JOIN agents_agent a ON a.id = s.agent_id
 WHERE s.id = %(session)s AND s.project_id = %(project)s AND s.kind = 'session'
   AND s.status <> 'deleted' AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
""")
)

# Other names that callers know the widest scope by.
GLOBAL = {"global", "organization", "organisation"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """What a caller named; None is not said."""

    scope: str | None = None
    session_id: str | None = None
    user_id: str | None = None
    agent_id: str | None = None

    def require(self) -> None:
        """Raises: InvalidRequest for what cannot name anything."""
        for name in ("session_id", "user_id", "agent_id"):
            said = getattr(self, name)
            if said is not None:
                require_name(said, LONGEST_NAME, param=name)
        if self.scope is not None and self.scope not in (*MemoryScope.values, *GLOBAL):
            raise InvalidRequest(
                f"scope takes {', '.join(MemoryScope.values)}.", param="scope"
            )

    @property
    def named_scope(self) -> MemoryScope | None:
        if self.scope is None:
            return None
        return MemoryScope.PROJECT if self.scope in GLOBAL else MemoryScope(self.scope)

    @property
    def narrowest(self) -> MemoryScope:
        """Return the scope that is said, else the narrowest one that is named."""
        if self.named_scope is not None:
            return self.named_scope
        if self.session_id is not None:
            return MemoryScope.SESSION
        if self.user_id is not None:
            return MemoryScope.USER
        return MemoryScope.PROJECT if self.agent_id is None else MemoryScope.AGENT


@dataclass(frozen=True, kw_only=True, slots=True)
class Owner:
    """Whose memories one document holds."""

    scope: MemoryScope
    name: str
    document: Document

    def acting_for(self, agent: Agent | None) -> Owner:
        """Return it for an act of this agent, which has to be allowed to write."""
        if self.document.agent_id or agent is None:
            return self
        return replace(self, document=replace(self.document, agent_id=agent.id))


class Finder:
    """Finds owners for one caller at one moment; what is foreign is not found."""

    def __init__(self, scope: Scope, place: Place, now: datetime) -> None:
        place.require()
        self.scope = scope
        self.place = place
        self.now = now
        self.session = self._session()

    @property
    def agent(self) -> Agent | None:
        """Return the agent that acts: that of the session, where there is one."""
        return None if self.session is None else self.session.agent

    def to_write(self) -> Owner:
        """Return the one that a memory is written for.

        Raises: InvalidRequest where the scope's owner is not named; AgentNotFound.
        """
        scope = self.place.narrowest
        owner = self._in(scope)
        if owner is None:
            raise InvalidRequest(
                f"A memory in this scope needs {scope}_id.", param=f"{scope}_id"
            )
        return owner

    def to_read(self) -> list[Owner]:
        """Return all whose memories are asked for.

        Those of the project always; with a session its own, its user's, its agent's.
        Where a scope is named, that alone.

        Raises: AgentNotFound, and InvalidRequest as `to_write`.
        """
        if self.place.named_scope is not None:
            return [self.to_write()]
        found = [self._in(scope) for scope in MemoryScope]
        return [one for one in found if one is not None]

    def _in(self, scope: MemoryScope) -> Owner | None:
        match scope:
            case MemoryScope.SESSION:
                session = self.session
                if session is None:
                    return None
                return self._owner(scope, session.id, session.agent_id)
            case MemoryScope.USER:
                session = self.session
                user = self.place.user_id or (session and session.user_id)
                return self._owner(scope, user) if user else None
            case MemoryScope.AGENT:
                agent = self._agent()
                if agent is None:
                    return None
                return self._owner(scope, agent.external_id, agent.id)
            case MemoryScope.PROJECT:
                return self._owner(scope, "")

    def _owner(self, scope: MemoryScope, name: str, agent_id: str = "") -> Owner:
        return owner_of(self.scope, scope, name, agent_id)

    def _session(self) -> Session | None:
        if self.place.session_id is None:
            return None
        found = visible_session(self.scope, self.place.session_id, now=self.now)
        if found is None:
            raise SessionNotFound(param="session_id")
        return found

    def _agent(self) -> Agent | None:
        if self.place.agent_id is None:
            return self.agent
        try:
            return Agent.objects.visible_to(self.scope).one_named(self.place.agent_id)
        except AgentNotFound:
            raise AgentNotFound(param="agent_id") from None


def owner_of(scope: Scope, of: str, name: str, agent_id: str = "") -> Owner:
    """Return an owner that was found before."""
    document = Document.of_memories(scope.project, of, name, agent_id)
    return Owner(scope=MemoryScope(of), name=name, document=document)


def owners_of_session(scope: Scope, head: VersionRow) -> list[Owner]:
    """Return all whose memories a session has, by a version of it that was read."""
    agent_id, user = head.agent_id, head.user_id
    found = [owner_of(scope, MemoryScope.SESSION, head.session_id, agent_id)]
    if user:
        found.append(owner_of(scope, MemoryScope.USER, user))
    if agent_id:
        name = _agent_name(agent_id)
        found.append(owner_of(scope, MemoryScope.AGENT, name, agent_id))
    return [*found, owner_of(scope, MemoryScope.PROJECT, "")]


@lru_cache(maxsize=1_000)
def _agent_name(agent_id: str) -> str:
    """Return what an agent's code calls it, which it is registered with for good."""
    return Agent.objects.values_list("external_id", flat=True).get(id=agent_id)


def visible_session(scope: Scope, session_id: str, *, now: datetime) -> Session | None:
    """Return a session as agents see it; None where it is over or not theirs.

    What is not of SESSION_FIELDS and AGENT_FIELDS is read when it is asked for.
    """
    asked = {"session": session_id, "project": scope.project.id, "now": now}
    (row,) = sql.run_prepared(_VISIBLE, asked) or (None,)
    if row is None:
        return None
    session = Session.from_db(None, SESSION_FIELDS, row[: len(SESSION_FIELDS)])
    session.agent = Agent.from_db(None, AGENT_FIELDS, row[len(SESSION_FIELDS) :])
    seen = scope.agents
    return session if seen is None or session.agent.external_id in seen else None


def living_sessions(
    scope: Scope, session_ids: Collection[str], *, now: datetime
) -> set[str]:
    """Return those of the sessions that are not over, and that the caller may see."""
    mine = Session.objects.of_project(scope.project.id).of_agents(scope.agents)
    named = mine.alive(now=now).filter(id__in=list(session_ids)).order_by("id")
    return set(named.values_list("id", flat=True)[: len(session_ids)])


def sessions_of_callers(scope: Scope, session_ids: Collection[str]) -> set[str]:
    """Return those of the sessions that are of the caller's agents, over or not."""
    mine = Session.objects.of_project(scope.project.id).of_agents(scope.agents)
    named = mine.filter(id__in=list(session_ids)).order_by("id")
    return set(named.values_list("id", flat=True)[: len(session_ids)])


def visible_owner(scope: Scope, of: str, name: str, *, now: datetime) -> Owner | None:
    """Return the owner of a memory that exists; None where it may not be seen."""
    if of == MemoryScope.SESSION:
        session = visible_session(scope, name, now=now)
        if session is None:
            return None
        return owner_of(scope, of, name, session.agent_id)
    if of == MemoryScope.AGENT:
        try:
            agent = Agent.objects.visible_to(scope).one_named(name)
        except AgentNotFound:
            return None
        return owner_of(scope, of, name, agent.id)
    return owner_of(scope, of, name)
