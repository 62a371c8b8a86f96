"""What a rollback would do, told before it is done. Nothing is written.

What is set aside is the difference of two lineages: the live versions as seen from the
head, without those that are live as seen from the version to restore. So it is exact
across earlier rollbacks, and in both directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from apps.agents.scope import Scope
from apps.core import sql
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.timeline.queries import outside
from apps.timeline.queries.calls import Call
from apps.timeline.queries.effects import CrossedEffects, crossed_effects
from apps.timeline.queries.migrating import (
    UNSAID,
    Ahead,
    Boundary,
    Move,
    boundary,
    moves,
)
from apps.timeline.queries.targets import target
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.intact import require_intact
from apps.timeline.versions.lineage import live_ranges_from, without
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Hold

# Who wrote so lately may write again while somebody still reads the preview.
LATELY = timedelta(minutes=5)
LISTED = 50

ASIDE = "unnest(%(lows)s::bigint[], %(highs)s::bigint[]) aside (low, high)"
# How many turns were made on these versions, in how many of them somebody spoke to the
# agent, and when the newest of all was.
TURNS = sql.of_session(f"""
SELECT made.count, made.heard,
       (SELECT t.created_at FROM timeline_turn t WHERE t.session_id = %(session)s
         ORDER BY t.turn_number DESC LIMIT 1) AS newest_at
  FROM (SELECT count(*) AS count,
               count(*) FILTER (WHERE t.input_type NOT LIKE 'tool%%') AS heard
          FROM {ASIDE}
          JOIN timeline_turn t ON t.session_id = %(session)s
           AND t.head_number BETWEEN aside.low AND aside.high) made
""")
FORKS = f"""
SELECT s.id AS session_id, s.origin_number AS number, s.created_at,
       a.external_id AS agent
  FROM {ASIDE}
  JOIN timeline_session s ON s.origin_session_id = %(session)s
   AND s.origin_number BETWEEN aside.low AND aside.high
  JOIN agents_agent a ON a.id = s.agent_id
 WHERE s.project_id = %(project)s AND s.status <> 'deleted'
   AND (%(agents)s::text[] IS NULL OR a.external_id = ANY (%(agents)s::text[]))
   AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
 ORDER BY s.id DESC LIMIT {LISTED + 1}
"""
LABELS = sql.of_session(f"""
SELECT l.name, l.number FROM {ASIDE}
  JOIN timeline_label l ON l.session_id = %(session)s
   AND l.number BETWEEN aside.low AND aside.high
 ORDER BY l.number DESC, l.name LIMIT {LISTED + 1}
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fork:
    """A fork that began on a version to be set aside."""

    session_id: str
    number: int
    created_at: datetime
    agent: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelAt:
    """A label on a version to be set aside."""

    name: str
    number: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """What becomes of the state, of the versions in between, and what stays outside.

    Of effects, calls, forks and labels the first `LISTED` are told; `has_more_…` says
    that there are others, or of calls that there may be: not everything was looked
    into. Effects are counted, all that the rollback goes behind.
    The calls are those since `calls_since`, the version that made the body to restore
    (see `outside`), those on versions that are set aside already among them.
    `n_heard` counts turns in which somebody, not a tool, spoke to the agent.
    `brought_back` counts versions that live again: one that an earlier rollback set
    aside can be restored as well.
    """

    head: VersionRow
    target: VersionRow
    comparison: Comparison
    set_aside: tuple[range, ...]
    brought_back: int
    n_turns: int
    n_heard: int
    effects: CrossedEffects
    calls: tuple[Call, ...]
    calls_since: int
    has_more_calls: bool
    forks: tuple[Fork, ...]
    has_more_forks: bool
    labels: tuple[LabelAt, ...]
    has_more_labels: bool
    # Where the state to restore is of another schema than the head.
    boundary: Boundary | None
    # Onto which other code the state to restore would go.
    moves: tuple[Move, ...]
    recommends_hold: bool

    @property
    def n_set_aside(self) -> int:
        return sum(map(len, self.set_aside))

    @property
    def crosses_gravely(self) -> bool:
        """Whether people are to type which session they mean."""
        return self.effects.is_grave


def preview_rollback(
    scope: Scope,
    session_id: str,
    to: int,
    *,
    now: datetime,
    ahead: Ahead = UNSAID,
) -> Preview:
    """Tell what rolling back to a version would do to the head as it is now.

    Raises: SessionNotFound, VersionNotFound, NothingToRollBack, BodyNotVerified.
    """
    head = fetching.head(scope, session_id, now=now)
    restored = target(scope, head, to, now=now)
    require_intact(restored)
    seen_from_head, seen_from_target, seen_from_body = live_ranges_from(
        session_id, [head.number, restored.number, restored.body_number]
    )
    aside = without(seen_from_head, seen_from_target)
    asked = _asked(session_id, aside)
    (turns,) = sql.rows(TURNS, asked)
    called = outside.since(
        scope,
        head,
        restored,
        live=seen_from_head,
        lineage=seen_from_target,
        now=now,
    )
    shown = called.calls[:LISTED]
    effects = crossed_effects(
        head,
        [seen_from_head, seen_from_body],
        now=now,
        limit=LISTED,
        calls=[one.id for one in shown if one.id],
    )
    seen = {"project": scope.project.id, "agents": scope.agent_list, "now": now}
    forks = sql.records(Fork, FORKS, {**asked, **seen})
    labels = sql.records(LabelAt, LABELS, asked)
    return Preview(
        head=head,
        target=restored,
        comparison=compare(*reading.parsed_pair(head, restored)),
        set_aside=tuple(aside),
        brought_back=sum(map(len, without(seen_from_target, seen_from_head))),
        n_turns=turns.count,
        n_heard=turns.heard,
        effects=effects,
        calls=shown,
        calls_since=called.since,
        has_more_calls=not called.is_all or len(called.calls) > LISTED,
        forks=tuple(forks[:LISTED]),
        has_more_forks=len(forks) > LISTED,
        labels=tuple(labels[:LISTED]),
        has_more_labels=len(labels) > LISTED,
        boundary=boundary(head, restored),
        moves=moves(restored, ahead),
        recommends_hold=_is_lively(head, turns.newest_at, now),
    )


def _asked(session_id: str, aside: Sequence[range]) -> dict[str, Any]:
    """Return the parameters of what is asked of the versions that are set aside."""
    return {
        "session": session_id,
        "lows": [one.start for one in aside],
        "highs": [one.stop - 1 for one in aside],
    }


def _is_lively(head: VersionRow, newest_turn: datetime | None, now: datetime) -> bool:
    """Whether an agent may write again while somebody reads: then hold it."""
    last = max(head.created_at, newest_turn or head.created_at)
    return head.hold == Hold.OPEN and now - last <= LATELY
