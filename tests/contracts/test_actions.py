"""Every action in the table is told to people and really recorded by some act."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.models import Project, Role, Scope, User
from apps.agents.models import Agent
from apps.approvals import operations as approvals
from apps.approvals.models import Approval
from apps.approvals.words import Verdict
from apps.audit.actions import RECORDED, Action
from apps.audit.models import AuditRecord, Event
from apps.core.actors import SYSTEM, Actor, ActorKind
from apps.core.roles.names import Role as DatabaseRole
from apps.data import operations as data
from apps.guards import trying
from apps.guards.live import standing
from apps.heartbeats import operations as heartbeats
from apps.incidents import watching as watching_incidents
from apps.memory import operations as memory
from apps.metrics import alerting, weekly
from apps.metrics import operations as metrics
from apps.metrics.models import Rule
from apps.plans import retiring, running
from apps.plans.models import DRAFT_LIVES
from apps.retention import sweeping
from apps.retention.models import LegalHold, Policy
from apps.timeline import operations as timeline
from apps.timeline.models import Session
from apps.timeline.operations import Step, keeping
from apps.watching import operations as watching
from apps.watching.models import Subject
from apps.webhooks import operations as webhooks
from tests.accounts.make import set_up
from tests.acting import acting_as
from tests.acts import act_by, act_in
from tests.contracts.routes import WITHOUT_KEYS, Route, api_routes, prepared
from tests.contracts.world import (
    World,
    add_approval,
    add_member,
    add_webhook,
    made,
    start,
)
from tests.feeding import feed_all, project_all

pytestmark = pytest.mark.django_db

WRITES = [
    route for route in api_routes() if route.is_write and str(route) not in WITHOUT_KEYS
]
SOON = timezone.now() + timedelta(days=1)
HOLDS = ("/pause", "/resume", "/close")


@pytest.mark.parametrize("action", Action)
def test_an_action_has_a_sentence_and_a_name_outside(action: Action) -> None:
    noun, _, verb = action.trace_name.partition(".")

    assert action.sentence[0].isupper()
    assert not action.sentence.endswith(".")
    assert noun.replace("_", "").isalpha()
    assert verb.replace("_", "").isalpha()


def remove_what_is_old(later: datetime) -> None:
    project_all()
    with acting_as(DatabaseRole.OWNER):
        LegalHold.objects.update(ended_at=timezone.now())
        Policy.objects.filter(id__in=Policy.objects.values("id")[:1]).update(
            is_enabled=True
        )
    asked = {"removal_id": "rem_1", "reason": "test", "erasing": True}
    asking = Approval.objects.values("session_id")
    long = Session.objects.filter(head_number__gte=3).exclude(id__in=asking)
    session = long.order_by("-head_number")[0]
    with acting_as(DatabaseRole.RETENTION):
        keeping.empty_versions(session_id=session.id, first=0, last=0, **asked)
        keeping.prune_versions(session_id=session.id, first=0, last=1, **asked)
        keeping.remove_session(session_id=session.id, **asked)
        sweeping.sweep(now=later)


def test_every_action_is_recorded_by_some_act(world: World) -> None:
    do_everything_over_the_api(world)
    do_everything_to_accounts(world)
    do_everything_with_plans(world)
    do_everything_with_approvals(world)
    reopen_an_incident(world)
    reach_a_budget(world)
    fail_a_guard(world)
    switch_a_webhook(world)
    soon = {"content": "Is here today", "expires_at": f"{SOON:%Y-%m-%dT%H:%M:%SZ}"}
    made(world.client.post("/v1/memories", soon))
    rules = Rule.objects.filter(project_id=world.project.id)
    rules.update(state="firing", is_told=True, minimum_sample=1, threshold=99)
    some = rules.filter(each="").order_by("id")[0]
    metrics.acknowledge_rule(rule_id=some.id, act=act_in(world.project))
    alerting.sweep(now=timezone.now())
    leave_an_effect_open(world)
    withdraw_schemas(world)
    merge_everything(world)
    change_a_fact(world)
    fall_silent(world)
    hold_shared(world)
    reach_a_budget(world)
    later = timezone.now() + timedelta(days=400)
    feed_all(now=later)
    weekly.sweep(now=later)
    approvals.sweep(actor=SYSTEM, now=timezone.now() + timedelta(seconds=180))
    timeline.expire(actor=SYSTEM, now=later)
    data.expire_due(actor=SYSTEM, now=later)
    memory.expire_due(actor=SYSTEM, now=later)

    remove_what_is_old(later)

    recorded = set(Event.objects.values_list("action", flat=True))

    assert recorded == set(RECORDED)


@pytest.mark.parametrize("route", WRITES, ids=str)
def test_a_write_is_recorded_once_with_its_request(route: Route, world: World) -> None:
    prepared(route, world)
    before = Event.objects.count()

    answer = route.call(
        world.client_for(route), world.parameters, X_Request_Id="req_contract"
    )

    recorded = Event.objects.filter(request_id="req_contract")
    assert answer.status < 300, answer.content
    assert recorded.count() == Event.objects.count() - before
    if not recorded:
        assert is_in_stream("data.write", "req_contract")
        return
    about = [(one.action, one.resource_id, one.number) for one in recorded]
    assert len(about) == len(set(about)), "One act is recorded twice."
    assert {one.actor_kind for one in recorded} == {"key"}


def is_in_stream(operation: str, request_id: str) -> bool:
    """Say whether an agent's stream, which alone has writes of data, has this one."""
    records = AuditRecord.objects.filter(action=operation)
    return records.filter(details__request_id=request_id).exists()


def do_everything_over_the_api(world: World) -> None:
    def when(route: Route) -> tuple[bool, bool, int]:
        """Holds come late, deleting comes last: first a label, then its session."""
        is_hold = route.pattern.endswith(HOLDS)
        return route.method == "DELETE", is_hold, -len(route.pattern)

    for route in sorted(WRITES, key=when):
        world.client.post(f"{world.session}/resume")
        prepared(route, world)
        answer = route.call(world.client_for(route), world.parameters)
        # Not every sample fits after the one before it; none is our own fault.
        assert answer.status in (200, 201, 202, 204, 409, 422), answer.content
    deleted = f"/v1/agents/{world.parameters['reference']}"
    made(world.admin.post(f"{deleted}/activate"))


def do_everything_with_plans(world: World) -> None:
    """Fail with a plan, try it again, take it back."""
    sessions = [start(world.client)]
    plan = made(world.client.post("/v1/plans", {"kind": "hold", "sessions": sessions}))
    other = replace(world, parameters={"plan_id": plan["id"]})
    other.fail_plan()
    made(world.client.post(f"/v1/plans/{plan['id']}/retry"))
    made(world.client.patch(f"/v1/plans/{plan['id']}", {"status": "paused"}))
    made(world.client.patch(f"/v1/plans/{plan['id']}", {"status": "running"}))
    running.sweep(now=timezone.now())
    undo = made(world.client.post(f"/v1/plans/{plan['id']}/undo"))
    made(world.client.post(f"/v1/plans/{undo['id']}/confirm", {}))
    made(world.client.post("/v1/plans", {"kind": "hold", "sessions": sessions}))
    retiring.sweep(now=timezone.now() + 2 * DRAFT_LIVES)


def do_everything_with_approvals(world: World) -> None:
    """Vote once of twice, and let the time of another be over."""
    approval = add_approval(world.client, votes=2)
    said = approvals.Said(verdict=Verdict.APPROVE)
    voter = actor_of(add_member(world.project, "voter"))
    act = act_in(world.project, voter)
    approvals.vote(act=act, approval_id=approval["id"], said=said)
    add_approval(world.client, on_expiry="escalate", ttl_seconds=60)
    approvals.sweep(actor=SYSTEM, now=timezone.now() + timedelta(seconds=90))


def reopen_an_incident(world: World) -> None:
    """Resolve one whose check fails in a release that is first seen since."""
    said = {"title": "x", "sessions": [start(world.client)], "check": "state.n<1000"}
    incident = made(world.client.post("/v1/incidents", said))["id"]
    made(world.client.patch(f"/v1/incidents/{incident}", {"status": "resolved"}))
    newer = {"state": {"n": 1000}, "release": "brand-new"}
    made(world.client.patch(f"/v1/sessions/{start(world.client)}/state", newer))
    feed_all()
    watching_incidents.sweep(now=timezone.now() + timedelta(minutes=10))


def withdraw_schemas(world: World) -> None:
    """Take back a migration and a schema that nobody has used."""
    for part in ("migrations", "schemas"):
        newest = made(world.admin.get(f"/v1/agents/travel/{part}"))["data"][-1]["id"]
        made(world.admin.delete(f"/v1/agents/travel/{part}/{newest}"))


def hold_shared(world: World) -> None:
    """Take the lease of a shared document, and give it back."""
    world.take_lease()
    path = f"/v1/shared/{world.parameters['name']}/lease/release"
    made(world.client.post(path, {"fence": 1}))


def fall_silent(world: World) -> None:
    """Have a session not write in time, and write again."""
    begun = made(world.client.post("/v1/sessions", {"agent_id": "travel"}))
    made(world.client.put(f"/v1/sessions/{begun['id']}/heartbeat", {"every": 60}))
    later = timezone.now() + timedelta(seconds=100)
    with acting_as(DatabaseRole.WORKER):
        heartbeats.sweep(actor=SYSTEM, now=later)
    act = act_in(world.project, now=later + timedelta(seconds=30))
    timeline.update(act=act, session_id=begun["id"], patch={"a": 1}, step=Step())
    with acting_as(DatabaseRole.WORKER):
        heartbeats.sweep(actor=SYSTEM, now=later + timedelta(seconds=61))


def reach_a_budget(world: World) -> None:
    """Use so much in a session that its budget warns, and is reached."""
    session_id = start(world.client)
    said = {"session_id": session_id, "measure": "tokens", "limit": 10}
    made(world.admin.post("/v1/budgets", said))
    for _ in range(2):
        turn = {"input": "Hi", "output": "Hello", "usage": {"input_tokens": 9}}
        made(world.client.post(f"/v1/sessions/{session_id}/turns", turn))


def fail_a_guard(world: World) -> None:
    """Write what a guard finds, which was tried and flags."""
    asked = {"agent_id": "travel", "name": "No denial", "kind": "permission_denied"}
    guard = made(world.admin.post("/v1/guards", asked))["id"]
    made(world.admin.post(f"/v1/guards/{guard}/try"))
    trying.sweep(now=timezone.now())
    made(world.admin.patch(f"/v1/guards/{guard}", {"mode": "flag"}))
    standing.forget(Agent.objects.get(project=world.project, external_id="travel").id)
    session = f"/v1/sessions/{start(world.client)}"
    denied = {"state": {"permission_denied": True}}
    made(world.client.patch(f"{session}/state", denied))


def merge_everything(world: World) -> None:
    """Promote a fork, take it back, apply it again, and restore one place."""
    session = f"/v1/sessions/{start(world.client)}"
    fork = made(world.client.post(f"{session}/fork"))["id"]
    made(world.client.patch(f"/v1/sessions/{fork}/state", {"state": {"city": "Oslo"}}))
    made(world.client.post(f"{session}/promote", {"fork": fork, "expected_version": 2}))
    third = {"first_version": 3, "last_version": 3}
    made(world.client.post(f"{session}/revert", {**third, "expected_version": 3}))
    made(world.client.post(f"{session}/reapply", {**third, "expected_version": 4}))
    place = {"version": 0, "pointers": ["/city"], "expected_version": 5}
    made(world.client.post(f"{session}/restore", place))
    made(world.client.post(f"{session}/state/migrate", {"to": "3", "from": "2"}))


def leave_an_effect_open(world: World) -> None:
    """Have an effect that nobody finishes be told of, and be settled by a person."""
    session_id = start(world.client)
    mail = {"key": "mail-1", "tool": "send_mail"}
    effect = made(world.client.post(f"/v1/sessions/{session_id}/effects", mail))
    soon = timezone.now() + timedelta(minutes=20)
    timeline.tell_unknown_effects(actor=SYSTEM, now=soon)
    vera = world.parameters["user_id"]
    person = Actor(kind=ActorKind.USER, id=vera, label="vera")
    timeline.settle_effect(
        act=act_in(world.project, person, now=soon),
        session_id=session_id,
        effect_id=effect["id"],
        status="done",
        reason="It is in the sent folder.",
    )
    made(world.client.post(f"/v1/sessions/{session_id}/rollback", {"version": 0}))
    timeline.change_compensation(
        act=act_in(world.project, person, now=soon),
        session_id=session_id,
        effect_id=effect["id"],
        status="waived",
        reason="She knows.",
    )


def change_a_fact(world: World) -> None:
    session = f"/v1/sessions/{start(world.client)}"
    answer = world.client.post(f"{session}/facts/check", {"values": {"price": 620}})
    assert answer.status == 409


def switch_a_webhook(world: World) -> None:
    webhook_id, _ = add_webhook(world.project)
    for verb in (webhooks.disable, webhooks.enable):
        verb(webhook_id=webhook_id, act=act_in(world.project))


def do_everything_to_accounts(world: World) -> None:
    act = act_by()
    about: dict[str, Any] = {"act": act}
    place = {"project": world.project}
    ann, ben = (accounts.create_user(username=name, **about) for name in ("ann", "ben"))
    accounts.add_member(user=ann, role=Role.ADMIN, **place, **about)
    accounts.add_member(user=ben, role=Role.VIEWER, **place, **about)
    accounts.change_role(user=ben, role=Role.OPERATOR, **place, **about)
    accounts.allow_unmasked(user=ben, is_allowed=True, **place, **about)
    accounts.note_unmasked(session_id=None, **place, **about)
    _, token = accounts.make_signin_link(user=ben, **place, **about)
    accounts.use_signin_link(token=token, now=act.now, request_id="req_test")
    accounts.remove_member(user=ben, **place, **about)
    _, token = accounts.make_password_link(user=ann, **place, **about)
    asked = {"password": "correct horse battery", "now": act.now}
    accounts.use_password_link(token=token, request_id="req_test", **asked)
    accounts.change_password(user=ann, password="another horse battery", **about)
    _, token = accounts.invite(role=Role.VIEWER, **place, **about)
    member = accounts.accept_as_newcomer(
        token=token, username="cleo", request_id="req_test", **asked
    )
    open_one, _ = accounts.invite(role=Role.VIEWER, **place, **about)
    accounts.withdraw_invitation(invitation_id=open_one.id, **place, **about)
    accounts.end_sessions(user=ann, **about)
    do_everything_with_second_factors(world.project, ann)
    kept = {"query": "status:active", "sort": "", "is_shared": False}
    view = accounts.save_view(membership=member, name="Mine", **kept, **about)
    accounts.delete_view(membership=member, view_id=view.id, **about)
    watched = {"membership": member, "subject_id": "agent_1"}
    email = "cleo@example.com"
    watching.watch(subject=Subject.AGENT, email=email, **watched, **about)
    watching.unwatch(**watched, **about)
    mailed = {"act": act_in(member.project), "membership": member}
    metrics.choose_summary(email=email, **mailed)
    metrics.stop_summary(**mailed)
    watching.hand_over(membership=member, text="Watch refunds.", **about)
    key, _ = accounts.issue_key(name="k", scope=Scope.READ, **place, **about)
    accounts.revoke_key(key_id=key.id, **place, **about)


def do_everything_with_second_factors(project: Project, ann: User) -> None:
    about: dict[str, Any] = {"now": timezone.now(), "request_id": "req_test"}
    _, codes = set_up(ann)
    accounts.check_second_factor(user=ann, code=codes[0], **about)
    about = {"act": act_by(actor_of(ann))}
    accounts.make_recovery_codes(user=ann, **about)
    for is_required in (True, False):
        accounts.require_second_factor(
            project=project, is_required=is_required, **about
        )
    accounts.remove_second_factor(user=ann, **about)
    set_up(ann)
    accounts.reset_second_factor(project=project, user=ann, **about)
