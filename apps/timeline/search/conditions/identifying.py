"""Match a bare term against a session's ids, whole or by prefix.

These are the ids of its user and agent, its external id and its own id. A prefix may
match one name or all there are. For few names, the index has the sessions of each
newest first, and those lists are merged. For many names with few sessions, all of these
are read and sorted. For more, the newest sessions are scanned, which meets some soon.
So no prefix makes a page read more than some thousand index entries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

from apps.agents.scope import Scope
from apps.core import keyset, sql
from apps.timeline.search.clauses import FreeTerm
from apps.timeline.search.conditions.base import (
    Candidate,
    Condition,
    Hit,
    Hits,
    newest_of,
)
from apps.timeline.search.prefixes import Prefix

# How many names a list is merged of, and how many sessions are read to be sorted.
FEW = 50
MANY = 5_000
MOST_AGENTS = 1_000
SESSION = "sess_"

# Name by name, one descent in the index each, however many sessions a name has. The
# orders tie these to the index that has them in byte order.
USERS = sql.query("timeline", "search_user_names")
# The columns differ in their types, and another one would not find the index.
_OF_NAMES = f"""
SELECT found.id FROM unnest(%(names)s::{{type}}[]) n (name)
 CROSS JOIN LATERAL (
       SELECT s.id FROM timeline_session s
        WHERE s.project_id = %(project)s AND s.{{column}} = n.name
          AND s.kind = 'session'
          AND {keyset.below_id("s.id")}
        ORDER BY s.id DESC LIMIT %(limit)s) found
 ORDER BY found.id DESC LIMIT %(limit)s
"""  # noqa: S608
OF_USERS = _OF_NAMES.format(type="text", column="user_id")
OF_ALL_USERS = sql.across("""
SELECT s.id FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.kind = 'session'
   AND s.user_id ~>=~ %(first)s::text
   AND s.user_id ~<~ %(end)s::text
 ORDER BY s.user_id USING ~<~ LIMIT %(most)s
""")
AGENTS = sql.query("timeline", "search_agent_names")
OF_AGENTS = _OF_NAMES.format(type="varchar", column="agent_id")
NAMED = """
SELECT n.session_id AS id FROM timeline_sessionname n
 WHERE n.project_id = %(project)s AND n.external_id >= %(first)s::text
   AND n.external_id < %(end)s::text
 ORDER BY n.external_id LIMIT %(most)s
"""
SESSIONS = sql.across(f"""
SELECT s.id FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.kind = 'session'
   AND s.id >= %(first)s::varchar
   AND s.id < %(end)s::varchar AND {keyset.below_id("s.id")}
 ORDER BY s.id DESC LIMIT %(limit)s
""")  # noqa: S608


class Ids(ABC):
    """One kind of id of a session."""

    where: str
    # What the kind is called where there are too many of them.
    plural: str

    def __init__(self, scope: Scope, prefix: Prefix) -> None:
        self.scope = scope
        self.prefix = prefix

    @abstractmethod
    def below(self, before: str | None, limit: int) -> list[str] | None:
        """Return the next sessions with a matching id, newest first; None: too many."""

    @abstractmethod
    def of(self, session: Candidate) -> str | None:
        """Return the session's id of this kind, if it matches."""

    @property
    def is_broad(self) -> bool:
        return False

    def _rows(self, query: str, **more: object) -> list[str]:
        asked = {"project": self.scope.project.id, **self.prefix.bounds, **more}
        return [row[0] for row in sql.rows(query, asked)]


class Sorted(Ids):
    """Ids of which all matching sessions are read and sorted, unless too many."""

    query: str

    @cached_property
    def all(self) -> list[str] | None:
        found = self._rows(self.query, most=MANY + 1)
        return None if len(found) > MANY else sorted(found, reverse=True)

    @property
    def is_broad(self) -> bool:
        return self.all is None

    def below(self, before: str | None, limit: int) -> list[str] | None:
        if self.all is None:
            return None
        bound = before or keyset.LAST_ID
        return [one for one in self.all if one < bound][:limit]


class UserIds(Sorted):
    where, plural, query = "user", "user ids", OF_ALL_USERS

    @cached_property
    def names(self) -> list[str]:
        return self._rows(USERS, most=FEW + 1)

    @property
    def is_broad(self) -> bool:
        return len(self.names) > FEW and super().is_broad

    def below(self, before: str | None, limit: int) -> list[str] | None:
        if len(self.names) > FEW:
            return super().below(before, limit)
        if not self.names:
            return []
        asked = {"names": self.names, "before": before, "limit": limit}
        return self._rows(OF_USERS, **asked)

    def of(self, session: Candidate) -> str | None:
        return session.user_id if self.prefix.fits(session.user_id) else None


class ExternalIds(Sorted):
    where, plural, query = "external_id", "external ids", NAMED

    def of(self, session: Candidate) -> str | None:
        return session.external_id if self.prefix.fits(session.external_id) else None


class Agents(Ids):
    """Agents by the caller's id for them, or by the name that people gave them."""

    where, plural = "agent", "agents"

    @cached_property
    def named(self) -> dict[str, str]:
        """Return the external ids of those that fit, by our ids."""
        asked = {
            "project": self.scope.project.id,
            "agents": self.scope.agent_list,
            "most": MOST_AGENTS + 1,
            **self.prefix.bounds,
        }
        return {row.id: row.external_id for row in sql.rows(AGENTS, asked)}

    @property
    def is_broad(self) -> bool:
        return len(self.named) > FEW

    def below(self, before: str | None, limit: int) -> list[str] | None:
        if self.is_broad:
            return None
        if not self.named:
            return []
        asked = {"names": list(self.named), "before": before, "limit": limit}
        return self._rows(OF_AGENTS, **asked)

    @cached_property
    def external_ids(self) -> frozenset[str]:
        return frozenset(self.named.values())

    def of(self, session: Candidate) -> str | None:
        is_named = session.agent in self.external_ids
        return session.agent if is_named or self.prefix.fits(session.agent) else None


class SessionIds(Ids):
    where, plural = "session", "session ids"

    def below(self, before: str | None, limit: int) -> list[str] | None:
        if not self._is_one:
            return []
        return self._rows(SESSIONS, before=before, limit=limit)

    def of(self, session: Candidate) -> str | None:
        return session.id if self._is_one and self.prefix.fits(session.id) else None

    @property
    def _is_one(self) -> bool:
        """Every session's id begins with the first letters of `sess_`."""
        text = self.prefix.text
        return text.startswith(SESSION) and len(text) > len(SESSION)


KINDS = (UserIds, Agents, ExternalIds, SessionIds)


class Identified(Condition):
    """Sessions of which an id is the term, or begins with it."""

    tells_only_met = True

    def __init__(self, clause: FreeTerm, scope: Scope) -> None:
        super().__init__(clause)
        self.scope = scope
        prefix = Prefix(clause.term)
        self.kinds: list[Ids] = [kind(scope, prefix) for kind in KINDS]

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        return newest_of([kind.below(before, limit) for kind in self.kinds], limit)

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        return {one.id for one in sessions if self._hits(one)}

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        return {one.id: hits for one in sessions if (hits := self._hits(one))}

    def reasons(self, sessions: Sequence[Candidate]) -> Hits:
        return self.hits(sessions, None, 1)

    def notices(self) -> list[str]:
        broad = [kind.plural for kind in self.kinds if kind.is_broad]
        # A key limited to some agents learns nothing of how many ids others have.
        if not broad or self.scope.agents is not None:
            return []
        return [
            f"so many {' and '.join(broad)} begin with it that the newest sessions "
            "were looked through; user:, agent: and external: find one whole id"
        ]

    def _hits(self, session: Candidate) -> list[Hit]:
        found = ((kind.where, kind.of(session)) for kind in self.kinds)
        return [Hit(where=where, value=name) for where, name in found if name]
