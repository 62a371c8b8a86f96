"""Making policies and switching them: nothing goes before somebody has seen what."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.retention.errors import PreviewNotReady, PreviewStale
from apps.retention.models import Policy, Removal
from apps.retention.operations.recording import record_policy
from apps.retention.terms import Terms
from apps.retention.words import State

# So long a policy can be enabled with what its preview showed.
PREVIEW_COUNTS = timedelta(days=1)


@transaction.atomic
def make_policy(*, act: Act, terms: Terms, agent: str | None = None) -> Policy:
    """Make a policy of the project, or of an agent in its place; nothing goes yet.

    Raises: UnacceptablePolicy, AgentNotFound.
    """
    terms.require()
    found = None
    if agent is not None:
        found = Agent.objects.visible_to(act.scope).one_named(agent)
    agent_id = None if found is None else found.id
    policy = Policy.objects.create(
        id=new_id("rpol", now=act.now),
        project=act.project,
        agent=found,
        digest=terms.digest(act.project_id, agent_id),
        made_by_kind=act.actor.kind.value,
        made_by_id=act.actor.id,
        made_by_label=act.actor.label,
        created_at=act.now,
        **asdict(terms),
    )
    details = {"agent_id": agent_id, **asdict(terms)}
    record_policy(Action.RETENTION_POLICY_CREATED, policy, act, details)
    return policy


@transaction.atomic
def enable_policy(*, act: Act, policy_id: str, preview_id: str) -> Policy:
    """Have the sweep run it, in place of the one that its agent or project had.

    Raises: PolicyNotFound, PreviewNotFound, PreviewNotReady, PreviewStale.
    """
    policy, those_before = _locked(act, policy_id)
    preview = Removal.objects.of_project(act.project_id).one_preview(preview_id)
    if policy.is_enabled:
        return policy
    _require_fresh(preview, policy, act)
    for one in those_before:
        _switch_off(one, act, {"replaced_by": policy.id})
    policy.is_enabled, policy.preview_id = True, preview.id
    policy.enabled_at, policy.disabled_at = act.now, None
    policy.save(update_fields=["is_enabled", "preview_id", "enabled_at", "disabled_at"])
    details = {"preview_id": preview.id}
    record_policy(Action.RETENTION_POLICY_ENABLED, policy, act, details)
    return policy


@transaction.atomic
def disable_policy(*, act: Act, policy_id: str) -> Policy:
    """Have the sweep run it no more; once this is answered nothing more goes by it.

    Raises: PolicyNotFound.
    """
    policy, _ = _locked(act, policy_id)
    if policy.is_enabled:
        _switch_off(policy, act, {})
    return policy


def _locked(act: Act, policy_id: str) -> tuple[Policy, list[Policy]]:
    """Return the policy and the enabled ones about the same, all of them locked.

    In one order, so that of two people one comes after the other. A sweep has the lock
    while it does one step; the project's is waited for as well, because an agent's
    sessions are its own until the agent has a policy.
    """
    mine = Policy.objects.of_project(act.project_id)
    same = mine.of_the_same(mine.one(policy_id)) | mine.enabled().filter(agent=None)
    same = same.select_related("agent").order_by("id")
    rows = same.select_for_update(no_key=True, of=("self",))
    held = {one.id: one for one in rows}
    policy = held[policy_id]
    return policy, [
        one
        for one in held.values()
        if one.is_enabled and one.agent_id == policy.agent_id and one is not policy
    ]


def _require_fresh(preview: Removal, policy: Policy, act: Act) -> None:
    """Raises: PreviewNotReady, PreviewStale."""
    if preview.policy_digest != policy.digest:
        raise PreviewStale("This preview is of another policy.", param="preview_id")
    if preview.state == State.PREVIEWING:
        raise PreviewNotReady
    if preview.state != State.READY:
        raise PreviewStale("This preview failed: take another.", param="preview_id")
    if preview.started_at < act.now - PREVIEW_COUNTS:
        raise PreviewStale("This preview is older than a day.", param="preview_id")


def _switch_off(policy: Policy, act: Act, details: dict[str, str]) -> None:
    policy.is_enabled, policy.disabled_at = False, act.now
    policy.save(update_fields=["is_enabled", "disabled_at"])
    record_policy(Action.RETENTION_POLICY_DISABLED, policy, act, details)
