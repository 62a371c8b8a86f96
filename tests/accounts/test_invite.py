"""Letting somebody in, and the links by which people choose a password."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.errors import AlreadyMember, LinkNotUsable
from apps.accounts.models import Membership, Role, SigninLink, User
from apps.audit.models import AuditRecord
from apps.core.actors import SYSTEM
from apps.core.errors import InvalidRequest, PermissionDenied
from tests.accounts.make import NOW, PASSWORD, make_member, make_project, make_user

ABOUT = {"actor": SYSTEM, "now": NOW, "request_id": "req_1"}
USE = {"now": NOW, "request_id": "req_1"}


def invite(project, username="nina", role=Role.VIEWER, **about):
    return accounts.invite(
        project=project, username=username, role=role, **{**ABOUT, **about}
    )


def link_page(client, token, method="get", **data):
    return getattr(client, method)(
        reverse("accounts:password_link", args=[token]), data
    )


def chosen(client, token, password=PASSWORD, again=None):
    data = {"password": password, "again": password if again is None else again}
    return link_page(client, token, "post", **data)


def test_a_newcomer_becomes_a_member_and_gets_a_link(db):
    membership, token = invite(make_project(), "Nina", Role.OPERATOR)

    user = accounts.use_password_link(token=token, password=PASSWORD, **USE)

    assert (membership.user, membership.role) == (user, Role.OPERATOR)
    assert user.username == "nina"
    assert User.objects.get().check_password(PASSWORD)
    actions = [
        one.action for one in AuditRecord.objects.order_by("project_id", "number")
    ]
    assert sorted(actions)[:3] == [
        "invitation.created",
        "invitation.used",
        "member.added",
    ]


def test_who_has_an_account_gets_no_link_because_it_would_open_it(db):
    make_user("nina")

    membership, token = invite(make_project())

    assert token is None
    assert membership.user.username == "nina"
    assert not SigninLink.objects.exists()


def test_who_is_a_member_already_is_not_invited(db):
    project = make_project()
    make_member(project, "nina")

    with pytest.raises(AlreadyMember):
        invite(project)


def test_an_invitation_waits_three_days(db):
    _, token = invite(make_project())
    late = {"now": NOW + timedelta(days=3), "request_id": "req_1"}

    with pytest.raises(LinkNotUsable):
        accounts.use_password_link(token=token, password=PASSWORD, **late)


def test_a_weak_password_leaves_the_link_as_it_was(db):
    _, token = invite(make_project())

    with pytest.raises(InvalidRequest):
        accounts.use_password_link(token=token, password="password", **USE)

    assert SigninLink.objects.get().used_at is None
    accounts.use_password_link(token=token, password=PASSWORD, **USE)


def test_each_link_is_for_its_own_purpose(db):
    project = make_project()
    nina = make_member(project, "nina")
    place = {"project": project, "user": nina}
    _, signing = accounts.make_signin_link(**place, **ABOUT)
    _, resetting = accounts.make_password_link(**place, **ABOUT)

    with pytest.raises(LinkNotUsable):
        accounts.use_password_link(token=signing, password=PASSWORD, **USE)
    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token=resetting, **USE)


@pytest.mark.parametrize("make", ["make_signin_link", "make_password_link"])
def test_nobody_opens_with_a_link_what_they_do_not_administer(db, make):
    mine, theirs = make_project("mine"), make_project("theirs")
    alice, nina = make_member(mine, "alice"), make_member(mine, "nina")
    about = {"actor": actor_of(alice), "now": NOW, "request_id": "req_1"}
    made = getattr(accounts, make)
    made(project=mine, user=nina, **about)

    accounts.add_member(project=theirs, user=nina, role=Role.VIEWER, **ABOUT)

    with pytest.raises(PermissionDenied, match="do not administer"):
        made(project=mine, user=nina, **about)
    made(project=mine, user=nina, **ABOUT)  # whoever runs the installation may


def test_who_administers_all_of_somebodys_projects_makes_the_link(db):
    mine, also = make_project("mine"), make_project("also")
    alice, nina = make_member(mine, "alice"), make_member(mine, "nina")
    for user, role in ((alice, Role.ADMIN), (nina, Role.VIEWER)):
        accounts.add_member(project=also, user=user, role=role, **ABOUT)

    about = {"actor": actor_of(alice), "now": NOW, "request_id": "req_1"}
    assert accounts.make_signin_link(project=mine, user=nina, **about)


def test_a_link_dies_when_its_person_joins_another_project(db):
    _, token = invite(make_project("mine"))
    nina = User.objects.get(username="nina")
    later = {**ABOUT, "now": NOW + timedelta(hours=1)}
    accounts.add_member(
        project=make_project("theirs"), user=nina, role=Role.ADMIN, **later
    )

    with pytest.raises(LinkNotUsable):
        accounts.use_password_link(token=token, password=PASSWORD, **USE)


def test_the_page_welcomes_and_the_post_signs_in(client, db):
    project = make_project()
    _, token = invite(project, now=timezone.now())

    page = link_page(client, token)
    answer = chosen(client, token)

    assert "Welcome to Checkout" in page.content.decode()
    assert answer["Location"] == reverse("console:project", args=["checkout"])
    assert client.session["_auth_user_id"] == Membership.objects.get().user_id
    assert link_page(client, token).status_code == 410


def test_looking_at_the_page_uses_nothing(client, db):
    _, token = invite(make_project(), now=timezone.now())

    for _ in range(2):
        assert link_page(client, token).status_code == 200

    assert SigninLink.objects.get().used_at is None


@pytest.mark.parametrize(
    ("password", "again", "said"),
    [
        (PASSWORD, "other", "The two passwords differ."),
        ("short", "short", "too short"),
        ("password", "password", "too common"),
        ("", "", "required"),
    ],
)
def test_a_password_that_does_not_do_is_told_why(client, db, password, again, said):
    _, token = invite(make_project(), now=timezone.now())

    page = chosen(client, token, password, again)

    assert page.status_code == 422
    assert said in page.content.decode()


def test_a_new_password_ends_the_sessions_of_other_browsers(client, db):
    project = make_project()
    nina = make_member(project, "nina")
    client.force_login(nina, "django.contrib.auth.backends.ModelBackend")
    about = {**ABOUT, "now": timezone.now()}
    _, token = accounts.make_password_link(project=project, user=nina, **about)

    accounts.use_password_link(
        token=token, password=PASSWORD, now=about["now"], request_id="req_1"
    )

    assert client.get(reverse("console:home")).status_code == 302
