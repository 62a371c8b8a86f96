"""What is told of a rule: an event for webhooks and the record, and mail.

The event is in the transaction that changes the state, so that webhooks have it exactly
as often; mail goes out after the commit, and may be lost with the process.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.outbound.links import path_to
from apps.core.provenance import Provenance
from apps.metrics import ranges
from apps.metrics.alerting.measures import (
    about,
    written,
    written_sample,
    written_threshold,
)
from apps.metrics.alerting.states import fires
from apps.metrics.mailing import mail
from apps.metrics.models import AlertState, Rule


def end(rule: Rule, *, act: Provenance, ends: str = "is switched off") -> None:
    """Have a rule that nobody looks at any more fire no longer; the caller saves it.

    Silenced or not: those who were told that it fires wait for the end of it.
    """
    if fires(rule):
        rule.state, rule.since = AlertState.RESOLVED, act.now
    if rule.is_told:
        tell(rule, act=act, ends=ends)
    disown(rule)


def disown(rule: Rule) -> None:
    """Forget who had it: nobody need have what does not fire."""
    rule.owner, rule.acknowledged_at = "", None


def tell(rule: Rule, *, act: Provenance, ends: str = "is over") -> None:
    """Tell whether a rule fires, and note that it was told; the caller saves it."""
    rule.is_told = fires(rule)
    told = details(rule, act.now, verb="fires" if rule.is_told else ends)
    audit.record(
        stream_id=rule.project_id,
        project_id=rule.project_id,
        action=Action.ALERT_FIRING if rule.is_told else Action.ALERT_RESOLVED,
        resource_type="alert",
        resource_id=rule.id,
        act=act,
        details=told,
    )
    mail(rule, told)


def summary(rule: Rule, verb: str, agent: str | None) -> str:
    """Say in one line what a rule does, and what it found."""
    whose = " ".join(name for name in (agent, rule.release) if name)
    sample = written_sample(rule.metric, rule.sample)
    of = f" of {sample} in {rule.window}" if sample else ""
    return (
        f"{whose + ': ' if rule.parent_id else ''}{rule.name} {verb}: "
        f"{written(rule.metric, rule.value)}{of}, "
        f"threshold {written_threshold(rule.metric, rule.threshold)}"
    )


def place(rule: Rule, now: datetime) -> dict[str, str]:
    """Return what to ask the pages of metrics for, to see what a rule saw.

    Up to the moment at which it looked: what happened later is another number.
    """
    start = ranges.window(rule.window, now=now).start
    asked = {"from": _written(start), "to": _written(now)}
    return asked | ({"agent": rule.agent_id} if rule.agent_id else {})


def list_place(rule: Rule, now: datetime) -> dict[str, str]:
    """As `place`, for the list of rollbacks, which knows releases as well."""
    return place(rule, now) | ({"release": rule.release} if rule.release else {})


def paths(rule: Rule, now: datetime) -> dict[str, str]:
    """Return where the rule, its chart and the sessions behind its value are.

    Without the host: a record may outlive it, and holds 200 characters of a text.
    Sessions are those that were rolled back, or else those of the rule's own page.
    """
    slug = Project.objects.values_list("slug", flat=True).get(id=rule.project_id)
    rule_path = path_to("alert", slug, rule.id)
    behind = f"{rule_path}#broken" if about(rule.metric).has_agents else rule_path
    if about(rule.metric).is_of_rollbacks:
        behind = path_to("metrics_rollbacks", slug, query=list_place(rule, now))
    return {
        "rule_path": rule_path,
        "dashboard_path": path_to("metrics", slug, query=place(rule, now)),
        "sessions_path": behind,
    }


def details(rule: Rule, now: datetime, *, verb: str) -> dict[str, Any]:
    """Return what is told of a rule, with the way to what is behind its number."""
    range_ = ranges.window(rule.window, now=now)
    agent = agent_name(rule)
    return {
        "name": rule.name,
        "state": rule.state,
        "metric": rule.metric,
        "value": rule.value,
        "threshold": rule.threshold,
        "sample": rule.sample,
        "window": rule.window,
        "from": range_.start.isoformat(),
        "to": range_.end.isoformat(),
        "agent_id": agent,
        "release": rule.release,
        "owner": rule.owner,
        "summary": summary(rule, verb, agent),
        **paths(rule, now),
    }


def agent_name(rule: Rule) -> str | None:
    """Return the external id of the rule's agent, if it has one."""
    if rule.agent_id is None:
        return None
    found = Agent.objects.filter(id=rule.agent_id).values_list("external_id", flat=True)
    return found.first()


def _written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
