"""Asking people: a version `wait` and the request, in one transaction.

The session's row is locked first, so what the request depends on is read of the very
head that the wait shows again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.approvals.covered import APPROVAL
from apps.approvals.errors import TooManyApprovals, UnacceptableApproval
from apps.approvals.models import Approval, Undecided
from apps.approvals.operations.ruling import Terms, rule_for
from apps.approvals.requests.binding import FACT, Ground, arguments_of, bound
from apps.approvals.requests.schemas import require_passing, require_schema
from apps.approvals.words import Class, Expiry, Who
from apps.core import json
from apps.core.errors import IdempotencyKeyReused
from apps.core.ids import new_id
from apps.core.json import Json
from apps.diffs.equality import same
from apps.timeline import operations as timeline
from apps.timeline.operations import Step
from apps.timeline.versions import VersionRow, head_of, is_key

MAX_TOOL = 200
MAX_KEY = 200
MAX_REASON = 2_000
MAX_BYTES = 64 * 1024
MOST_POINTERS = 50
MOST_UNDECIDED = 100
SHORTEST, LONGEST = timedelta(minutes=1), timedelta(days=90)
USUAL = timedelta(days=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What is to be allowed, and who decides until when; a rule may ask for more."""

    tool: str
    arguments: dict[str, Json]
    effect_class: Class = Class.IRREVERSIBLE
    schema: dict[str, Any] | None = None
    reason: str | None = None
    depends_on: Sequence[str] = ()
    key: str | None = None
    votes: int = 1
    who: Who = Who.OPERATOR
    ttl_seconds: int | None = None
    deadline: datetime | None = None
    on_expiry: Expiry = Expiry.REJECT

    def lives(self, now: datetime) -> timedelta | None:
        """Return how long it waits; None where nothing is said.

        Raises: UnacceptableApproval.
        """
        if self.ttl_seconds is not None and self.deadline is not None:
            raise UnacceptableApproval(
                "Give ttl_seconds or a deadline.", param="deadline"
            )
        if self.ttl_seconds is None and self.deadline is None:
            return None
        param = "deadline" if self.ttl_seconds is None else "ttl_seconds"
        if self.deadline is not None:
            lives = self.deadline - now
        else:
            # Beyond any bound: timedelta takes no more.
            lives = timedelta(seconds=max(0, min(self.ttl_seconds or 0, 10**9)))
        if not SHORTEST <= lives <= LONGEST:
            raise UnacceptableApproval(
                "An approval waits for one minute to 90 days.", param=param
            )
        return lives

    def require(self) -> None:
        """Raises: UnacceptableApproval, UnacceptableArguments, UnacceptableJson."""
        _require_name("tool", self.tool, MAX_TOOL)
        if self.key is not None:
            _require_name("key", self.key, MAX_KEY)
        if self.reason is not None and (
            len(self.reason) > MAX_REASON or "\0" in self.reason
        ):
            raise UnacceptableApproval(
                f"A reason has at most {MAX_REASON:,} characters.", param="reason"
            )
        _require_small("arguments", self.arguments)
        if self.schema is not None:
            _require_small("schema", self.schema)
            require_schema(self.schema)
        require_passing(self.schema, self.arguments)
        if len(self.depends_on) > MOST_POINTERS:
            raise UnacceptableApproval(
                f"At most {MOST_POINTERS} pointers are depended on.", param="depends_on"
            )
        for one in self.depends_on:
            _require_place(one)


def ask(*, act: Act, session_id: str, asked: Asked) -> Approval:
    """Ask people to allow something; asked again under its key, it is the same one.

    Raises: UnacceptableApproval, UnacceptableArguments, UnacceptableJson,
    IdempotencyKeyReused, TooManyApprovals, SessionNotFound, SessionPaused,
    SessionClosed, AgentSuspended, AgentDeleted.
    """
    asked.require()
    lives = asked.lives(act.now)
    head_of(act.scope, session_id, now=act.now)
    with transaction.atomic():
        head = timeline.lock_head(act=act, session_id=session_id)
        known = _known(session_id, asked)
        if known is not None:
            return known
        if Undecided.objects.of_session(session_id).count() >= MOST_UNDECIDED:
            raise TooManyApprovals(most=MOST_UNDECIDED)
        approval = _approval(act, head, asked, lives)
        waited(act, approval)
    return approval


def waited(act: Act, approval: Approval) -> None:
    """Write a request with its wait, and list it as undecided; under the lock."""
    timeline.wait(
        act=act,
        session_id=approval.session_id,
        step=Step(),
        details=told_of(approval),
        kept=APPROVAL.left(approval, act.project.index_key).details(),
    )
    approval.save(force_insert=True)
    Undecided.objects.create(
        session_id=approval.session_id,
        approval_id=approval.id,
        project_id=approval.project_id,
        agent_id=approval.agent_id,
        number=approval.number,
        due_at=approval.expires_at,
    )


def told_of(approval: Approval) -> dict[str, Json]:
    """Return what events say: which one, of which tool, and nothing that is asked."""
    return {"approval_id": approval.id, "tool": json.cleaned(approval.tool)}


def _known(session_id: str, asked: Asked) -> Approval | None:
    if asked.key is None:
        return None
    mine = Approval.objects.of_session(session_id).select_related("agent")
    known = mine.filter(key=asked.key).order_by("-number").first()
    if known is None:
        return None
    is_same = (known.tool, known.effect_class) == (asked.tool, asked.effect_class)
    if not is_same or not same(arguments_of(known), asked.arguments):
        raise IdempotencyKeyReused(param="key")
    return known


def _approval(
    act: Act, head: VersionRow, asked: Asked, lives: timedelta | None
) -> Approval:
    terms = Terms(
        votes=asked.votes, who=asked.who, lives=lives, on_expiry=asked.on_expiry
    )
    rule = rule_for(act.project_id, head.agent_id, asked)
    if rule is not None:
        terms = terms.with_rule(rule)
    return Approval(
        session_id=head.session_id,
        id=new_id("appr", now=act.now),
        project_id=act.project_id,
        agent_id=head.agent_id,
        number=head.number + 1,
        key=asked.key,
        tool=asked.tool,
        effect_class=asked.effect_class,
        arguments=json.dumps(asked.arguments),
        schema=None if asked.schema is None else json.dumps(asked.schema),
        reason=asked.reason,
        depends_on=list(asked.depends_on),
        binding=bound(
            act.project,
            tool=asked.tool,
            effect_class=asked.effect_class,
            arguments=asked.arguments,
            ground=Ground(head),
            depends_on=asked.depends_on,
        ),
        votes=terms.votes,
        who=terms.who,
        expires_at=act.now + (terms.lives or USUAL),
        on_expiry=terms.on_expiry,
        rule_id=None if rule is None else rule.id,
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )


def _require_name(name: str, text: str, longest: int) -> None:
    if not text.strip() or len(text) > longest or not text.isprintable():
        raise UnacceptableApproval(
            f"{name} takes 1 to {longest} printable characters.", param=name
        )


def _require_place(place: str) -> None:
    """Raises: UnacceptableApproval, UnacceptableJson."""
    if not place.startswith(FACT):
        json.segments(place)
    elif not is_key(place.removeprefix(FACT)):
        raise UnacceptableApproval(
            f"After {FACT} stands the key of a fact.", param="depends_on"
        )


def _require_small(name: str, value: Mapping[str, Json]) -> None:
    json.check(dict(value), at=f"/{name}")
    if len(json.dumps(value)) > MAX_BYTES:
        raise UnacceptableApproval(
            f"{name} takes at most {MAX_BYTES:,} bytes.", param=name
        )
