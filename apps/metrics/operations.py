"""Verbs of alert rules: make, change (silence is a change), remove, try."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.core.provenance import Provenance
from apps.metrics import alerting, ranges
from apps.metrics.figures import MINIMUM_SAMPLE
from apps.metrics.mailing import Sending, mail_aside
from apps.metrics.models import AlertState, Metric, Rule

MOST = 200
DEFAULTS: Mapping[str, Any] = {
    "metric": Metric.ROLLBACK_RATE,
    "window": "24h",
    "minimum_sample": MINIMUM_SAMPLE,
    "for_minutes": 5,
    "email": "",
}


@dataclass(frozen=True, slots=True)
class Tried:
    """A rule that was tried, and its mail on the way, if it has an address."""

    rule: Rule
    mail: Sending | None


@transaction.atomic
def make_rule(*, act: Act, fields: Mapping[str, Any]) -> Rule:
    """Make a rule; what is not said is as in the guide's rules.

    Raises: InvalidRequest, AgentNotFound.
    """
    if Rule.objects.of_project(act.project_id).count() >= MOST:
        raise InvalidRequest(f"A project has at most {MOST} alert rules.")
    rule = Rule(
        id=new_id("rule", now=act.now), project_id=act.project_id, created_at=act.now
    )
    _apply(rule, act.project, {**DEFAULTS, **fields})
    rule.save(force_insert=True)
    _record(Action.RULE_CREATED, rule, act, sorted(fields))
    return rule


@transaction.atomic
def change_rule(*, act: Act, rule_id: str, fields: Mapping[str, Any]) -> Rule:
    """Set what is said; `silenced_until` keeps it quiet until then.

    Switched off while it fires, it is over, and whoever was told is told so.

    Raises: RuleNotFound, InvalidRequest, AgentNotFound.
    """
    rule = _locked(act.project, rule_id)
    if not fields:
        raise InvalidRequest("There is nothing to change.")
    _apply(rule, act.project, fields)
    changed = [_column(name) for name in fields]
    if "is_active" in fields:
        changed += ["state", "since", "is_told"]
        if rule.state == AlertState.PENDING:
            # Nobody looked while it was off: the wait begins anew.
            rule.state, rule.since = AlertState.OK, act.now
        if not rule.is_active:
            alerting.end(rule, act=act)
    rule.save(update_fields=changed)
    _record(Action.RULE_CHANGED, rule, act, sorted(fields))
    return rule


@transaction.atomic
def remove_rule(*, act: Act, rule_id: str) -> None:
    """Remove it, as if it was switched off; the guide's are not given a second time.

    Raises: RuleNotFound.
    """
    rule = _locked(act.project, rule_id)
    alerting.end(rule, act=act)
    _record(Action.RULE_DELETED, rule, act, [])
    rule.delete()


@transaction.atomic
def try_rule(*, act: Act, rule_id: str) -> Tried:
    """Tell whoever it tells that this is a test; nobody waits for the mail server.

    Raises: RuleNotFound.
    """
    rule = _locked(act.project, rule_id)
    verb = "is over" if rule.state == AlertState.RESOLVED else "fires"
    told = alerting.details(rule, act.now, verb=verb)
    told |= {"is_test": True, "summary": f"Test: {told['summary']}"}
    audit.record_act(
        stream_id=rule.project_id,
        project_id=rule.project_id,
        action=Action.ALERT_FIRING,
        resource_type="alert",
        resource_id=rule.id,
        act=act,
        details=told,
    )
    return Tried(rule, mail_aside(rule, told))


def _locked(project: Project, rule_id: str) -> Rule:
    mine = Rule.objects.of_project(project.id)
    return mine.select_for_update().one(rule_id)


def _column(name: str) -> str:
    return "agent_id" if name == "agent" else name


def _apply(rule: Rule, project: Project, fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if name == "agent":
            agents = Agent.objects.visible_to(Scope(project))
            rule.agent_id = None if value is None else agents.one_named(value).id
        else:
            _check(name, value)
            setattr(rule, name, value)


def _check(name: str, value: Any) -> None:
    # It stands in subjects of mails, and in fields where nothing may hide.
    if name == "name" and not value.isprintable():
        raise InvalidRequest("name has printable characters only.", param=name)
    if name == "window" and value not in ranges.WINDOWS:
        raise InvalidRequest(f"window takes {', '.join(ranges.WINDOWS)}.", param=name)
    if name == "threshold" and not 0 < value <= 100:
        raise InvalidRequest("threshold is above 0, as 0.05 for 5 %.", param=name)
    if name == "email" and value:
        try:
            validate_email(value)
        except ValidationError:
            raise InvalidRequest("email is one address.", param=name) from None


def _record(action: Action, rule: Rule, act: Provenance, fields: list[str]) -> None:
    audit.record_act(
        stream_id=rule.project_id,
        project_id=rule.project_id,
        action=action,
        resource_type="rule",
        resource_id=rule.id,
        act=act,
        details={"name": rule.name, "fields": fields},
    )
