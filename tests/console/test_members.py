"""The members page: who is here, who lets whom in, and links that are shown once."""

import re

import pytest
from django.urls import reverse

from apps.accounts.models import Membership, Role, SigninLink
from apps.audit.models import AuditRecord
from tests.accounts.make import make_member, make_user
from tests.console.make import HTML, signed_in


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "alice", Role.ADMIN))


def url(name, project, *more):
    return reverse(f"console:{name}", args=[project.slug, *more])


def text(page):
    return page.content.decode()


def role_of(user):
    return Membership.objects.get(user=user).role


def test_it_lists_members_for_all_of_them(client, project):
    make_member(project, "alice", Role.ADMIN)
    viewer = signed_in(client, make_member(project, "vera", Role.VIEWER))

    page = viewer.get(url("members", project))

    assert page.status_code == 200
    assert "alice" in text(page)
    assert "Invite" not in text(page)


def test_inviting_shows_the_link_once(admin, project):
    page = admin.post(url("invite", project), {"username": "Nina", "role": "operator"})

    (token,) = re.findall(r"http://testserver/password/([\w-]+)<", text(page))
    assert page.headers["Cache-Control"] == "no-store"
    assert token not in text(admin.get(url("members", project)))
    assert Membership.objects.get(user__username="nina").role == "operator"
    record = AuditRecord.objects.get(action="invitation.created")
    assert record.actor_label == "alice"


def test_who_has_an_account_becomes_a_member_without_a_link(admin, project):
    make_user("nina")

    page = admin.post(
        url("invite", project), {"username": "nina", "role": "viewer"}, follow=True
    )

    assert "sign in as before" in text(page)
    assert not SigninLink.objects.exists()


@pytest.mark.parametrize(
    ("username", "role", "said"),
    [
        ("alice", "viewer", "already a member"),
        ("a/b", "viewer", "A user name has"),
        ("", "viewer", "required"),
        ("nina", "owner", "not one of the available choices"),
    ],
)
def test_an_invitation_that_cannot_be_is_told_why(admin, project, username, role, said):
    page = admin.post(url("invite", project), {"username": username, "role": role})

    assert page.status_code == 422
    assert said in text(page)


def test_a_role_is_changed(admin, project):
    vera = make_member(project, "vera", Role.VIEWER)

    answer = admin.post(url("change_role", project, vera.id), {"role": "operator"})

    assert answer.status_code == 302
    assert role_of(vera) == "operator"


def test_the_last_administrator_stays_one(admin, project):
    alice = Membership.objects.get().user

    for name, data in (("change_role", {"role": "viewer"}), ("remove_member", {})):
        answer = admin.post(url(name, project, alice.id), data, headers=HTML)
        assert answer.status_code == 409
        assert "keeps at least one administrator" in text(answer)

    assert role_of(alice) == "admin"


def test_a_member_is_removed(admin, project):
    vera = make_member(project, "vera", Role.VIEWER)

    page = admin.post(url("remove_member", project, vera.id), follow=True)

    assert "vera is no longer a member" in text(page)
    assert not Membership.objects.filter(user=vera).exists()


def test_who_leaves_is_led_out(admin, project):
    make_member(project, "anna", Role.ADMIN)
    alice = Membership.objects.get(user__username="alice").user

    answer = admin.post(url("remove_member", project, alice.id))

    assert answer["Location"] == reverse("console:home")


@pytest.mark.parametrize(
    ("name", "place"),
    [("make_signin_link", "signin"), ("make_password_link", "password")],
)
def test_a_link_for_a_member_is_shown_once(admin, project, name, place):
    vera = make_member(project, "vera", Role.VIEWER)

    page = admin.post(url(name, project, vera.id))

    assert re.search(rf"http://testserver/{place}/[\w-]+<", text(page))
    assert "not shown again" in text(page)


def test_no_link_opens_a_project_that_is_not_the_administrators(
    admin, project, other_project
):
    vera = make_member(project, "vera", Role.VIEWER)
    Membership.objects.create(
        project=other_project, user=vera, role=Role.VIEWER, created_at=vera.created_at
    )

    answer = admin.post(url("make_signin_link", project, vera.id), headers=HTML)

    assert answer.status_code == 403
    assert "do not administer" in text(answer)


def test_somebody_elses_member_is_not_found(admin, project, other_project):
    mallory = make_member(other_project, "mallory")

    for name in ("change_role", "remove_member", "make_signin_link"):
        answer = admin.post(url(name, project, mallory.id), {"role": "viewer"})
        assert answer.status_code == 404
