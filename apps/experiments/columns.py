"""The forks of an experiment as columns: what became of each, beside the others.

As many statements for any number of versions, turns or values: one more a fork. One
that was deleted keeps its column, which says so and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from apps.agents.acts import Act
from apps.checks import Check, CheckRefused, Outcome, evaluate, read_text
from apps.core import sql
from apps.core.errors import DomainError
from apps.experiments.models import Experiment, Variant
from apps.timeline.bisect import tells_hidden
from apps.timeline.models import Session
from apps.timeline.queries import titles
from apps.timeline.versions import (
    CorruptBody,
    VersionRow,
    fetch_bodies,
    heads_of,
    parsed_state,
    require_contents,
)

DELETED = "deleted"
_USED = sql.of_session(sql.query("experiments", "used"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What a check says of one head; `outcome` None: masks cover it."""

    text: str
    outcome: Outcome | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One fork; beside its id all is None where it is gone."""

    session_id: str
    agent: str
    is_deleted: bool
    session: Session | None = None
    title: str | None = None
    checks: Sequence[Checked] = ()
    spent: Mapping[str, Any] | None = None
    took: timedelta | None = None
    effects: int = 0
    irreversible: int = 0
    flagged: int = 0

    @property
    def passes(self) -> int:
        return sum(one.outcome is Outcome.HOLDS for one in self.checks)

    @property
    def tokens(self) -> int | None:
        """Input and output together; None where no turn said what it used."""
        if self.spent is None:
            return None
        said = [self.spent.get(name) for name in ("input_tokens", "output_tokens")]
        return None if said == [None, None] else sum(one or 0 for one in said)


def columns_of(experiment: Experiment, act: Act) -> list[Column]:
    """Return the forks as they are now, in the order in which they were named."""
    found = Variant.objects.of_experiment(experiment.id).select_related("agent")
    variants = list(found)
    sessions = _seen([one.session_id for one in variants], act)
    ids = list(sessions)
    used = {id: sql.rows(_USED, {"session": id})[0] for id in ids}
    named, heads = titles(ids), heads_of(ids) if ids else {}
    checks = [(text, _read(text)) for text in experiment.checks]
    states = _states(list(heads.values())) if checks else {}
    columns = []
    for one in variants:
        id, session = one.session_id, sessions.get(one.session_id)
        column = Column(
            session_id=id, agent=one.agent.external_id, is_deleted=session is None
        )
        if session is not None:
            column = replace(
                column,
                session=session,
                title=named.get(id),
                checks=[
                    _checked(text, check, states.get(id)) for text, check in checks
                ],
                spent=used[id].spent,
                took=heads[id].created_at - session.created_at,
                effects=used[id].effects,
                irreversible=used[id].irreversible,
                flagged=used[id].flagged,
            )
        columns.append(column)
    return columns


def _seen(ids: Sequence[str], act: Act) -> dict[str, Session]:
    """Return those that are not gone; people see what has expired as well."""
    found = Session.objects.of_project(act.project_id).of_agents(act.scope.agents)
    found = found.alive(now=act.now) if act.actor.is_agent else found
    some = found.exclude(status=DELETED).filter(id__in=ids)
    return {one.id: one for one in some.for_lists()[: len(ids)]}


def _states(heads: Sequence[VersionRow]) -> dict[str, Any]:
    """Return the states that can be read, by session.

    Raises: Busy.
    """
    readable = [one for one in heads if _has_contents(one)]
    # Where one is damaged, it is told one by one which.
    with suppress(CorruptBody):
        fetch_bodies(readable)
    states = {}
    for one in readable:
        try:
            states[one.session_id] = parsed_state(one)
        except CorruptBody:
            continue
    return states


def _has_contents(head: VersionRow) -> bool:
    try:
        require_contents(head)
    except DomainError:
        return False
    return True


def _read(text: str) -> Check | None:
    """Return a check; None where this version cannot read it."""
    try:
        return read_text(text)
    except CheckRefused:
        return None


def _checked(text: str, check: Check | None, state: Any) -> Checked:
    """Return what a check says of a state; it never passes unseen."""
    if check is not None and tells_hidden(check):
        return Checked(text="", outcome=None)
    if check is None or state is None:
        return Checked(text=text, outcome=Outcome.UNDECIDED)
    return Checked(text=text, outcome=evaluate(check, state).outcome)
