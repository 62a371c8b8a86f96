"""Who may do what, as a table; and what a stranger and a colleague are told."""

import pytest

from apps.accounts import access
from apps.accounts.access import Caller, Permission, may
from apps.accounts.errors import ProjectNotFound
from apps.accounts.models import Membership, Project, Role, Scope
from apps.core.actors import Actor, ActorKind
from apps.core.errors import PermissionDenied
from tests.accounts.make import make_member, make_project, make_user

HERE = Project(id="proj_1", slug="here")
ELSEWHERE = Project(id="proj_2", slug="elsewhere")
READ, WRITE, ADMIN = Permission.READ, Permission.WRITE, Permission.ADMIN
MASKED = Permission.READ_MASKED


def make_caller(scope=Scope.WRITE, agents=None):
    return Caller(
        actor=Actor(kind=ActorKind.KEY, id="key_1", label="sb_00000000"),
        project=HERE,
        scope=scope,
        agents=agents,
        key_id="key_1",
        rate_limit=None,
    )


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        (Scope.MASKED, {MASKED}),
        (Scope.READ, {MASKED, READ}),
        (Scope.WRITE, {MASKED, READ, WRITE}),
        (Scope.ADMIN, {MASKED, READ, WRITE, ADMIN}),
    ],
)
def test_a_key_may_do_what_its_scope_says(scope, allowed):
    caller = make_caller(scope)

    assert {p for p in Permission if may(caller, p, HERE)} == allowed
    assert not any(may(caller, p, ELSEWHERE) for p in Permission)


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (Role.VIEWER, {MASKED, READ}),
        (Role.OPERATOR, {MASKED, READ, WRITE}),
        (Role.ADMIN, {MASKED, READ, WRITE, ADMIN}),
        ("emperor", set()),
    ],
)
def test_a_member_may_do_what_their_role_says(role, allowed):
    member = Membership(project=HERE, user_id="user_1", role=role)

    assert {p for p in Permission if may(member, p, HERE)} == allowed
    assert not any(may(member, p, ELSEWHERE) for p in Permission)


def test_nobody_may_do_nothing():
    assert not any(may(None, p, HERE) for p in Permission)


def test_a_key_without_a_list_speaks_for_every_agent():
    assert access.key_allows_agent(make_caller(), "refund-bot")


def test_a_key_with_a_list_speaks_for_those_agents_only():
    caller = make_caller(agents=frozenset({"refund-bot"}))

    assert access.key_allows_agent(caller, "refund-bot")
    assert not access.key_allows_agent(caller, "Refund-bot")


def test_a_member_enters_their_project(db):
    alice = make_member(make_project())

    membership = access.enter_project(user=alice, slug="checkout", permission=ADMIN)

    assert membership.project.slug == "checkout"
    assert [m.project.slug for m in access.projects_of(alice)] == ["checkout"]


def test_a_stranger_is_told_the_same_as_for_a_project_that_does_not_exist(db):
    make_project()
    mallory = make_user("mallory")

    with pytest.raises(ProjectNotFound) as existing:
        access.enter_project(user=mallory, slug="checkout", permission=READ)
    with pytest.raises(ProjectNotFound) as missing:
        access.enter_project(user=mallory, slug="nowhere", permission=READ)

    assert existing.value.message == missing.value.message


def test_a_colleague_without_the_right_is_told_which_right_is_missing(db):
    carol = make_member(make_project(), "carol", Role.VIEWER)

    with pytest.raises(PermissionDenied) as denied:
        access.enter_project(user=carol, slug="checkout", permission=WRITE)

    assert denied.value.details == {"required": "write"}


def test_somebody_deactivated_is_a_stranger(db):
    alice = make_member(make_project())
    alice.is_active = False
    alice.save(update_fields=["is_active"])

    with pytest.raises(ProjectNotFound):
        access.enter_project(user=alice, slug="checkout", permission=READ)
