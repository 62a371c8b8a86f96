"""Forgetting results: what answered reads until now is called again from here on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import sql
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.timeline.errors import EffectNotFound
from apps.timeline.ledger.effects.values import LONGEST_NAME, call_digest
from apps.timeline.ledger.locking import lock_session
from apps.timeline.models import AgentForgetting, Effect, Forgetting
from apps.timeline.versions import fetching
from apps.timeline.versions.reading import require_text

MAX_FORGETTING = 2_000
_WAYS = "Say what is forgotten: a tool, a key, or all of it by all: true."
# A host's clock may be behind another's: what was begun counts.
_NEWEST = sql.of_session("""
SELECT greatest(max(e.created_at), %(now)s) AS at FROM timeline_effect e
 WHERE e.session_id = %(session)s
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Forget:
    """What is forgotten and why: a tool, one call of it, the call of a key, or all.

    Raises: InvalidRequest.
    """

    reason: str
    tool: str | None = None
    arguments: dict[str, Any] | None = None
    key: str | None = None
    everything: bool = False

    def __post_init__(self) -> None:
        ways = (self.tool is not None, self.key is not None, self.everything)
        if sum(ways) != 1:
            raise InvalidRequest(_WAYS, param="all" if self.everything else "tool")
        if self.arguments is not None and self.tool is None:
            message = "arguments are those of a call: give its tool."
            raise InvalidRequest(message, param="arguments")
        for name in ("tool", "key"):
            require_text(name, getattr(self, name) or "", LONGEST_NAME)
        if not self.reason.strip():
            raise InvalidRequest("Say why it is forgotten.", param="reason")
        require_text("reason", self.reason, MAX_FORGETTING)

    @property
    def by(self) -> str:
        """What is meant, in a word that tells nothing of it."""
        if self.everything:
            return "all"
        is_call = self.key is not None or self.arguments is not None
        return "call" if is_call else "tool"


@transaction.atomic
def forget_results(*, act: Act, session_id: str, forget: Forget) -> Forgetting:
    """Let results of a session answer nobody, and this session by none of others.

    It counts for what was begun until now. It is a row, and nothing is deleted.

    Raises: SessionNotFound, EffectNotFound, UnacceptableJson.
    """
    fetching.head(act.scope, session_id, now=act.now)
    lock_session(session_id)
    head = fetching.head(act.scope, session_id, now=act.now)
    tool, digest = _call(act, forget, session_id)
    (newest,) = sql.rows(_NEWEST, {"session": session_id, "now": act.now})
    made = Forgetting.objects.create(
        session_id=session_id,
        **_said(act, forget, tool, digest) | {"created_at": newest.at},
    )
    audit.record_for(
        act=act,
        stream_id=session_id,
        project_id=act.project_id,
        action=Action.RESULTS_FORGOTTEN,
        resource_type="session",
        resource_id=session_id,
        # The record names no tool, no arguments and no reason.
        details={"by": forget.by},
        number=head.number,
    )
    return made


@transaction.atomic
def forget_agent_results(*, act: Act, agent: str, forget: Forget) -> AgentForgetting:
    """Let results of all sessions of an agent answer nobody.

    Raises: AgentNotFound, InvalidRequest, UnacceptableJson.
    """
    found = Agent.objects.visible_to(act.scope).one_named(agent)
    if forget.key is not None:
        message = "A key is a session's own: give the tool, and its arguments."
        raise InvalidRequest(message, param="key")
    tool, digest = _call(act, forget, None)
    made = AgentForgetting.objects.create(
        project_id=act.project_id,
        agent_id=found.id,
        **_said(act, forget, tool, digest),
    )
    audit.record_on_agent(
        agent_id=found.id,
        project_id=act.project_id,
        action=Action.RESULTS_FORGOTTEN,
        act=act,
        details={"by": forget.by},
    )
    return made


def _call(
    act: Act, forget: Forget, session_id: str | None
) -> tuple[str | None, bytes | None]:
    """Return the tool and the call that are meant; None is any.

    Raises: EffectNotFound, UnacceptableJson.
    """
    if forget.key is not None:
        known = Effect.objects.filter(session_id=session_id, key=forget.key)
        effect = known.only("tool", "call_digest").first()
        if effect is None:
            raise EffectNotFound(param="key")
        return effect.tool, bytes(effect.call_digest)
    if forget.tool is None or forget.arguments is None:
        return forget.tool, None
    return forget.tool, call_digest(act.project, forget.tool, forget.arguments)


def _said(
    act: Act, forget: Forget, tool: str | None, digest: bytes | None
) -> dict[str, Any]:
    return {
        "id": new_id("fgt", now=act.now),
        "tool": tool,
        "call_digest": digest,
        "reason": forget.reason.strip(),
        "actor_kind": act.actor.kind,
        "actor_id": act.actor.id,
        "actor_label": act.actor.label,
        "created_at": act.now,
    }
