"""Let pass what a policy was wrong about, for a while and with a reason; end that.

An exception is recorded twice: in the agent's stream, beside what it lets pass, and in
the project's record, where an agent's own key writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.models import AuditRecord
from apps.audit.streams import Operation, Result
from apps.core.errors import InvalidRequest, PermissionDenied
from apps.core.ids import new_id
from apps.core.json import cleaned
from apps.data.audit import trail
from apps.data.covered import EXCEPTION
from apps.data.documents.keys import require_prefix
from apps.data.errors import ExceptionExists, ExceptionNotFound, TooManyExceptions
from apps.data.models import PolicyException
from apps.data.operations.recording import found, found_to_write, told
from apps.data.policies import Exemption, Rule
from apps.data.policies.blocks import FALLIBLE
from apps.timeline.operations import Document

DAYS = 30.0
MOST_DAYS = 90
# As the ledger takes an act without a key, sent once more, for the same act.
REPEATED_WITHIN = timedelta(minutes=5)
MAX_REASON = 2_000
# That stand at a time for one agent: a blocked write reads them all.
MOST = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class NewException:
    """What is to pass: the text of a blocked write, or keys that begin with a prefix.

    `audit_id` names the blocked write, from which the rule is known; with a `prefix`
    its exact text is not meant. Without one, rule and prefix are said.
    """

    reason: str
    days: float | None = None
    audit_id: str | None = None
    rule: str | None = None
    prefix: str | None = None

    def require(self) -> None:
        """Raises: InvalidRequest, InvalidKey."""
        if not 0 < len(self.reason.strip()) <= MAX_REASON:
            raise InvalidRequest(
                f"A reason has 1 to {MAX_REASON:,} characters.", param="reason"
            )
        if self.days is not None and not 0 < self.days <= MOST_DAYS:
            raise InvalidRequest(
                f"An exception holds for at most {MOST_DAYS} days.", param="days"
            )
        if (self.audit_id is None) == (self.rule is None):
            raise InvalidRequest(
                "Name the audit_id of the blocked write, or a rule with a prefix.",
                param="audit_id",
            )
        if self.rule is not None and self.rule not in FALLIBLE:
            names = ", ".join(sorted(FALLIBLE))
            raise InvalidRequest(f"Exceptions are from {names}.", param="rule")
        if self.rule is not None or self.prefix is not None:
            require_prefix(self.prefix or "")

    @property
    def lasts(self) -> timedelta:
        return timedelta(days=DAYS if self.days is None else self.days)


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentException:
    """An exception, and from whose policies."""

    agent: Agent
    exception: PolicyException


def rules_open_to(*, may_secrets: bool) -> frozenset[str]:
    """Return the rules from which somebody may make exceptions."""
    return FALLIBLE if may_secrets else FALLIBLE - {Rule.SECRETS}


def create_exception(
    *, act: Act, reference: str, said: NewException, may_secrets: bool
) -> AgentException:
    """Let pass what a policy blocks, from the next write on.

    Asked again in the same words a moment later, it is the same one: whoever lost the
    answer asks so.

    `may_secrets` says whether the caller may do for the project what only
    administrators do: to let secrets be stored is theirs to decide.

    Raises: AgentNotFound, AgentSuspended, AgentDeleted, InvalidRequest, InvalidKey,
    PermissionDenied, ExceptionExists, TooManyExceptions.
    """
    said.require()
    agent, document = found_to_write(act, reference)
    blocked = None if said.audit_id is None else _blocked(agent, said.audit_id)
    exemption = _exemption(said, blocked)
    if exemption.rule not in rules_open_to(may_secrets=may_secrets):
        raise PermissionDenied(
            "To let a secret be stored is for administrators.", required="admin"
        )
    with transaction.atomic():
        # Locked, so that of two at once one sees the other.
        Agent.objects.select_for_update(no_key=True).get(id=agent.id)
        made = _made_before(act, document, said, exemption)
        if made is None:
            made = _made(act, document, said, exemption, blocked)
            made.save(force_insert=True)
            _record(act, agent, document, made, Action.EXCEPTION_CREATED)
    return AgentException(agent=agent, exception=made)


def end_exception(*, act: Act, reference: str, exception_id: str) -> AgentException:
    """Let an exception hold no more; one that has ended stays as it is.

    Raises: AgentNotFound, ExceptionNotFound.
    """
    agent, document = found(act, reference)
    with transaction.atomic():
        mine = PolicyException.objects.of(document.id).select_for_update(no_key=True)
        one = mine.filter(id=exception_id).first()
        if one is None:
            raise ExceptionNotFound(param="exception_id")
        if one.holds_at(act.now):
            one.ended_at = act.now
            one.save(update_fields=["ended_at"])
            _record(act, agent, document, one, Action.EXCEPTION_ENDED)
    return AgentException(agent=agent, exception=one)


def _blocked(agent: Agent, audit_id: str) -> AuditRecord:
    record = trail.named(agent.id, audit_id)
    if record is None or record.result != Result.BLOCKED:
        raise InvalidRequest(
            "audit_id takes that of a blocked write of this agent.", param="audit_id"
        )
    if record.rule not in FALLIBLE:
        raise InvalidRequest(
            f"There are no exceptions from {record.rule}: change the config.",
            param="audit_id",
        )
    return record


def _exemption(said: NewException, blocked: AuditRecord | None) -> Exemption:
    rule = Rule(str(said.rule if blocked is None else blocked.rule))
    if blocked is None or said.prefix is not None:
        return Exemption(rule=rule, prefix=said.prefix)
    return Exemption(
        rule=rule, fingerprint=bytes.fromhex(blocked.details["fingerprint"])
    )


def _made_before(
    act: Act, document: Document, said: NewException, exemption: Exemption
) -> PolicyException | None:
    """Return what this very act has made, and refuse another one for the same.

    Of two for the same, whoever ended one would end nothing.
    """
    standing = PolicyException.objects.of(document.id).standing(act.now)
    same = standing.filter(
        rule=exemption.rule,
        fingerprint=exemption.fingerprint,
        prefix=exemption.prefix,
    ).first()
    if same is not None:
        if _is_repeated(act, said, same):
            return same
        raise ExceptionExists(exception_id=same.id)
    if standing.count() >= MOST:
        raise TooManyExceptions(most=MOST)
    return None


def _is_repeated(act: Act, said: NewException, same: PolicyException) -> bool:
    return bool(
        (same.actor_kind, same.actor_id) == (act.actor.kind.value, act.actor.id)
        and same.reason == said.reason.strip()
        and same.expires_at - same.created_at == said.lasts
        and same.created_at > act.now - REPEATED_WITHIN
    )


def _made(
    act: Act,
    document: Document,
    said: NewException,
    exemption: Exemption,
    blocked: AuditRecord | None,
) -> PolicyException:
    shape = {} if blocked is None else _shape(blocked)
    return PolicyException(
        session_id=document.id,
        id=new_id("exc", now=act.now),
        project_id=act.project_id,
        rule=exemption.rule.value,
        fingerprint=exemption.fingerprint,
        prefix=exemption.prefix,
        reason=str(cleaned(said.reason.strip())),
        actor_kind=act.actor.kind.value,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
        expires_at=act.now + said.lasts,
        **shape,
    )


def _shape(blocked: AuditRecord) -> dict[str, str]:
    names = ("kind", "place", "masked")
    return {name: str(blocked.details.get(name) or "") for name in names}


def _record(
    act: Act, agent: Agent, document: Document, one: PolicyException, action: Action
) -> None:
    """Record it for the project, then in the agent's stream, whose lock comes last.

    The prefix is in neither: a key's name is kept where it can be erased.
    """
    details = {
        "agent_id": cleaned(agent.external_id),
        "exception_id": one.id,
        "rule": one.rule,
        "covers": "text" if one.prefix is None else "prefix",
        "reason": one.reason,
    }
    recorded = audit.record_act(
        stream_id=document.id,
        project_id=act.project_id,
        action=action,
        resource_type=EXCEPTION.kind,
        resource_id=agent.id,
        act=act,
        details=details | EXCEPTION.left(one, act.project.index_key).details(),
    )
    is_new = action is Action.EXCEPTION_CREATED
    about = told(
        Operation.EXCEPTION_CREATE if is_new else Operation.EXCEPTION_END,
        one.id,
        resource_type=EXCEPTION.kind,
        details={name: details[name] for name in ("rule", "covers", "reason")},
    )
    audit.record_in_stream(record=document.record(act, about, recorded.event_id))
