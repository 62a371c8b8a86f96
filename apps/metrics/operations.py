"""Verbs of alert rules, and of who has the weekly summary by mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from apps.accounts.models import Membership, Project
from apps.agents.acts import Act
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.core.provenance import Provenance
from apps.metrics import alerting
from apps.metrics.errors import NotChosen, RuleChanged, RuleNotFiring
from apps.metrics.mailing import Sending, mail_aside
from apps.metrics.models import AlertState, Rule, SummaryReader

MOST = 200
# What a rule that follows another one has for itself; all else is the other's.
OWN = {"silenced_until"}


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
    if Rule.objects.of_project(act.project_id).given().count() >= MOST:
        raise InvalidRequest(f"A project has at most {MOST} alert rules.")
    rule = Rule(
        id=new_id("rule", now=act.now), project_id=act.project_id, created_at=act.now
    )
    alerting.apply(rule, act.project, {**alerting.DEFAULTS, **fields})
    rule.save(force_insert=True)
    _record(Action.RULE_CREATED, rule, act, sorted(fields))
    return rule


@transaction.atomic
def change_rule(
    *, act: Act, rule_id: str, fields: Mapping[str, Any], seen: str | None = None
) -> Rule:
    """Set what is said; `silenced_until` keeps it quiet until then.

    Switched off while it fires, it is over, and whoever was told is told so. Rules that
    follow it change with it; they are made anew where it is to look at others. `seen`
    is the rule as it was shown (`as_shown`): what others changed since stays.

    Raises: RuleNotFound, RuleChanged, InvalidRequest, AgentNotFound.
    """
    rule = _locked(act.project, rule_id)
    if not fields:
        raise InvalidRequest("There is nothing to change.")
    if rule.parent_id and set(fields) - OWN:
        raise InvalidRequest("It follows another rule, which can be changed.")
    was, shown = (rule.each, rule.agent_id, rule.metric), rule.as_shown
    alerting.apply(rule, act.project, fields)
    # Sent twice, the second changes nothing.
    if shown != rule.as_shown and seen not in (None, shown):
        raise RuleChanged
    changed = {_column(name) for name in fields} | {"minimum_sample"}
    if "is_active" in fields:
        changed |= {"state", "since", "is_told", "owner", "acknowledged_at"}
        if rule.state == AlertState.PENDING:
            # Nobody looked while it was off: the wait begins anew.
            rule.state, rule.since = AlertState.OK, act.now
        if not rule.is_active:
            alerting.end(rule, act=act)
    rule.save(update_fields=changed)
    _follow(rule, act, is_another=was != (rule.each, rule.agent_id, rule.metric))
    _record(Action.RULE_CHANGED, rule, act, sorted(fields))
    return rule


@transaction.atomic
def remove_rule(*, act: Act, rule_id: str) -> None:
    """Remove it, as if it was switched off; the guide's are not given a second time.

    Raises: RuleNotFound, InvalidRequest for one that follows another.
    """
    rule = _locked(act.project, rule_id)
    if rule.parent_id:
        raise InvalidRequest("It follows another rule, which can be removed.")
    alerting.stop_all(Rule.objects.following(rule.id), act)
    alerting.end(rule, act=act)
    _record(Action.RULE_DELETED, rule, act, [])
    rule.delete()


@transaction.atomic
def acknowledge_rule(*, act: Act, rule_id: str, owner: str | None = None) -> Rule:
    """Say who has what fires: a member by name, or without one whoever acts.

    Raises: RuleNotFound, RuleNotFiring, InvalidRequest for an owner who is no member.
    """
    rule = _locked(act.project, rule_id)
    if rule.each or not rule.is_active or rule.state != AlertState.FIRING:
        raise RuleNotFiring
    if owner is not None and not _is_member(act.project, owner):
        raise InvalidRequest("No member of the project has this name.", param="owner")
    rule.owner, rule.acknowledged_at = owner or act.actor.label, act.now
    rule.save(update_fields=["owner", "acknowledged_at"])
    audit.record_act(
        stream_id=rule.project_id,
        project_id=rule.project_id,
        action=Action.ALERT_ACKNOWLEDGED,
        resource_type="alert",
        resource_id=rule.id,
        act=act,
        details=alerting.details(rule, act.now, verb=f"is with {rule.owner}"),
    )
    return rule


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


@transaction.atomic
def choose_summary(*, act: Act, membership: Membership, email: str) -> SummaryReader:
    """Mail the member each week how the project did; again: to another address.

    Raises: InvalidRequest for what is no address.
    """
    alerting.check_email(email)
    found = SummaryReader.objects.of_member(membership).select_for_update().first()
    if found is not None and found.email == email:
        return found
    reader = found or SummaryReader(
        id=new_id("mail", now=act.now),
        project_id=membership.project_id,
        user_id=membership.user_id,
        created_at=act.now,
    )
    reader.email = email
    reader.save()
    _record_reader(Action.SUMMARY_CHOSEN, reader.id, act)
    return reader


@transaction.atomic
def stop_summary(*, act: Act, membership: Membership) -> None:
    """Mail the member no more summaries, nor what waits to be sent.

    Raises: NotChosen.
    """
    found = SummaryReader.objects.of_member(membership).select_for_update().first()
    if found is None:
        raise NotChosen
    reader_id = found.id
    found.delete()
    _record_reader(Action.SUMMARY_STOPPED, reader_id, act)


def _locked(project: Project, rule_id: str) -> Rule:
    mine = Rule.objects.of_project(project.id)
    return mine.select_for_update().one(rule_id)


def _is_member(project: Project, name: str) -> bool:
    mine = Membership.objects.filter(project_id=project.id, user__username=name)
    return mine.exists()


def _follow(rule: Rule, act: Act, *, is_another: bool) -> None:
    """Let the rules that follow one change with it."""
    following = Rule.objects.following(rule.id)
    if is_another or not rule.is_active:
        alerting.stop_all(following, act)
        return
    names = (*alerting.FOLLOWED, *OWN)
    following.update(**{name: getattr(rule, name) for name in names})


def _column(name: str) -> str:
    return "agent_id" if name == "agent" else name


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


def _record_reader(action: Action, reader_id: str, act: Act) -> None:
    # Not the address: records are handed out.
    audit.record_act(
        stream_id=act.project_id,
        project_id=act.project_id,
        action=action,
        resource_type="summary",
        resource_id=reader_id,
        act=act,
        details={},
    )
