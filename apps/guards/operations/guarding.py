"""Making guards, changing and withdrawing them. What is made observes at first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from apps.agents import remembered
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import json
from apps.core.ids import new_id
from apps.guards.covered import GUARD
from apps.guards.detecting import RuleRefused, line_of, read_rule
from apps.guards.errors import (
    GuardChanged,
    GuardExists,
    GuardUntried,
    TooManyGuards,
    UnacceptableGuard,
)
from apps.guards.live import standing
from apps.guards.models import Guard, GuardRevision, Trial
from apps.guards.querysets import MOST_GUARDS
from apps.guards.words import Kind, Mode

MAX_NAME = 100
# What an audit keeps of a rule.
LONGEST_LINE = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class NewGuard:
    """A guard as an administrator says it; `rule` as its kind takes it."""

    agent: str
    name: str
    kind: Kind
    rule: Mapping[str, Any]

    def require(self) -> bytes:
        """Return the rule as it is kept.

        Raises: UnacceptableGuard, with the place.
        """
        require_name(self.name)
        return _kept(self.kind, self.rule)


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What is to be otherwise; None stays. `seen` is the guard as it was shown."""

    name: str | None = None
    rule: Mapping[str, Any] | None = None
    mode: Mode | None = None
    seen: str | None = None


def require_name(name: str) -> None:
    """Raises: UnacceptableGuard for what is no name."""
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise UnacceptableGuard(
            f"A name has 1 to {MAX_NAME} printable characters.", param="name"
        )


@transaction.atomic
def create_guard(*, act: Act, said: NewGuard) -> Guard:
    """Have an agent's writes looked at from now on; nothing more than observed.

    Raises: UnacceptableGuard, AgentNotFound, AgentDeleted, GuardExists, TooManyGuards.
    """
    kept = said.require()
    agents = Agent.objects.visible_to(act.scope).select_for_update(no_key=True)
    agent = agents.one_named(said.agent)
    agent.require_kept()
    mine = Guard.objects.of_agent(agent.id)
    _require_free(mine, said.name)
    if mine.count() >= MOST_GUARDS:
        raise TooManyGuards(most=MOST_GUARDS)
    guard = Guard(
        id=new_id("guar", now=act.now),
        project=act.project,
        agent=agent,
        name=said.name,
        kind=said.kind,
        mode=Mode.OBSERVE,
        revision=1,
        rule=kept,
        **act.by,
    )
    guard.save(force_insert=True)
    _revise(act, guard)
    if not agent.has_guards:
        Agent.objects.filter(id=agent.id).update(has_guards=True)
    _record(Action.GUARD_CREATED, act, guard)
    return guard


@transaction.atomic
def change_guard(*, act: Act, guard_id: str, change: Change) -> Guard:
    """Give it another name, rule or mode. Another rule is a revision, which observes.

    Raises: GuardNotFound, GuardChanged, UnacceptableGuard, GuardExists, GuardUntried.
    """
    guard = held(act, guard_id)
    if change.seen not in (None, guard.as_shown):
        raise GuardChanged
    if change.name is not None and change.name != guard.name:
        require_name(change.name)
        _require_free(Guard.objects.of_agent(guard.agent_id), change.name)
        guard.name = change.name
    if change.rule is not None:
        kept = _kept(Kind(guard.kind), change.rule)
        if kept != bytes(guard.rule):
            guard.rule, guard.mode = kept, Mode.OBSERVE
            guard.revision += 1
            _revise(act, guard)
    if change.mode is not None:
        is_tried = Trial.objects.has_finished(guard.id, guard.revision)
        if change.mode is not Mode.OBSERVE and not is_tried:
            raise GuardUntried(
                f"Revision {guard.revision} of this guard was not tried to the end: "
                "until then it observes.",
                param="mode",
                revision=guard.revision,
            )
        guard.mode = change.mode
    guard.save(update_fields=["name", "mode", "revision", "rule"])
    _record(Action.GUARD_CHANGED, act, guard)
    return guard


@transaction.atomic
def withdraw_guard(*, act: Act, guard_id: str) -> Guard:
    """Look for it no more; its verdicts stay, and so does what it holds.

    Raises: GuardNotFound.
    """
    guard = held(act, guard_id)
    guard.withdrawn_at = act.now
    guard.save(update_fields=["withdrawn_at"])
    _record(Action.GUARD_WITHDRAWN, act, guard)
    return guard


def held(act: Act, guard_id: str) -> Guard:
    """Return a guard that was not withdrawn, held until the transaction ends.

    Raises: GuardNotFound.
    """
    mine = Guard.objects.visible_to(act.scope).filter(withdrawn_at=None)
    return mine.locked(guard_id)


def _require_free(mine: Any, name: str) -> None:
    if mine.filter(name=name).exists():
        raise GuardExists(param="name")


def _kept(kind: Kind, rule: Mapping[str, Any]) -> bytes:
    try:
        _, kept = read_rule(kind, rule)
    except RuleRefused as refused:
        raise UnacceptableGuard(
            refused.message, param=f"rule.{refused.param}"
        ) from None
    return json.dumps(kept)


def _revise(act: Act, guard: Guard) -> None:
    GuardRevision(
        project_id=act.project_id,
        guard=guard,
        number=guard.revision,
        kind=guard.kind,
        rule=guard.rule,
        **act.by,
    ).save(force_insert=True)


def line(guard: Guard) -> str:
    """Return the guard's rule in one line."""
    return line_of(Kind(guard.kind), json.parse_written(bytes(guard.rule)))


def _record(action: Action, act: Act, guard: Guard) -> None:
    """Chain what was done, and have this process look anew once it is committed."""
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=action,
        resource_type="guard",
        resource_id=guard.id,
        act=act,
        details={
            "agent_id": guard.agent_id,
            "name": guard.name,
            "kind": str(guard.kind),
            "mode": str(guard.mode),
            "revision": guard.revision,
            "rule": line(guard)[:LONGEST_LINE],
            **GUARD.left(guard, act.project.index_key).details(),
        },
    )
    transaction.on_commit(lambda: _forget(guard.agent_id))


def _forget(agent_id: str) -> None:
    remembered.forget(agent_id)
    standing.forget(agent_id)
