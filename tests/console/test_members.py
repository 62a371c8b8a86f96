"""The members page: who is here, who lets whom in, and links that are shown once."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import (
    Authenticator,
    Invitation,
    Membership,
    Role,
    SigninLink,
)
from apps.audit.models import AuditRecord
from tests.accounts.make import make_member, set_up
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
    page = admin.post(url("invite", project), {"role": "operator"})

    (token,) = re.findall(r"http://testserver/invitation/([\w-]+)<", text(page))
    assert page.headers["Cache-Control"] == "no-store"
    listed = text(admin.get(url("members", project)))
    assert token not in listed
    assert "Operator, made" in listed
    assert "by alice" in listed
    record = AuditRecord.objects.get(action="invitation.created")
    assert (record.actor_label, record.details) == ("alice", {"role": "operator"})


def test_nobody_is_enlisted_and_no_name_is_tried(admin, project, other_project):
    """Today's attack: name somebody of another tenant, and see what comes back."""
    mallory = make_member(other_project, "mallory")
    answers = [
        admin.post(url("invite", project), {"username": name, "role": "viewer"})
        for name in ("mallory", "nobody-at-all")
    ]

    assert {one.status_code for one in answers} == {200}
    assert not any("mallory" in text(one) for one in answers)
    assert not Membership.objects.filter(project=project, user=mallory).exists()
    assert "mallory" not in text(admin.get(url("members", project)))


def test_an_invitation_that_cannot_be_is_told_why(admin, project):
    page = admin.post(url("invite", project), {"role": "owner"})

    assert page.status_code == 422
    assert "not one of the available choices" in text(page)


def test_an_open_invitation_is_withdrawn(admin, project):
    admin.post(url("invite", project), {"role": "viewer"})
    known = Invitation.objects.get().id

    page = admin.post(url("withdraw_invitation", project, known), follow=True)
    again = admin.post(url("withdraw_invitation", project, known), follow=True)

    assert "The invitation is withdrawn." in text(page)
    assert "It was accepted, or is over." in text(again)
    assert "Open invitations" not in text(page)
    answer = admin.post(url("withdraw_invitation", project, "inv_unknown"))
    assert answer.status_code == 404


def test_only_administrators_see_invitations(client, project, admin):
    admin.post(url("invite", project), {"role": "admin"})
    viewer = signed_in(Client(), make_member(project, "vera", Role.VIEWER))

    assert "Open invitations" not in text(viewer.get(url("members", project)))


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


def in_both(project, other_project):
    """Return somebody who is also in a project that alice does not administer."""
    vera = make_member(project, "vera", Role.VIEWER)
    Membership.objects.create(
        project=other_project, user=vera, role=Role.VIEWER, created_at=vera.created_at
    )
    return vera


def test_no_link_opens_a_project_that_is_not_the_administrators(
    admin, project, other_project
):
    vera = in_both(project, other_project)

    link = admin.post(url("make_signin_link", project, vera.id), headers=HTML)
    password = admin.post(url("make_password_link", project, vera.id), headers=HTML)

    assert "this link opens Checkout alone" in text(link)
    assert SigninLink.objects.get().is_limited
    assert password.status_code == 403
    assert "do not administer" in text(password)


def test_a_lost_second_factor_is_reset_under_the_rule_of_links(
    admin, project, other_project
):
    ben, vera = make_member(project, "ben"), in_both(project, other_project)
    set_up(ben)
    set_up(vera)

    mine = admin.post(url("reset_second_factor", project, ben.id), follow=True)
    theirs = admin.post(url("reset_second_factor", project, vera.id), headers=HTML)

    assert "ben has no second factor now" in text(mine)
    assert theirs.status_code == 403
    assert [one.user for one in Authenticator.objects.all()] == [vera]
    record = AuditRecord.objects.get(action="second_factor.reset")
    assert (record.project_id, record.actor_label) == (project.id, "alice")


def test_the_page_says_who_has_a_second_factor_to_administrators(admin, project):
    ben = make_member(project, "ben")
    set_up(ben)

    assert text(admin.get(url("members", project))).count("Reset the second") == 1
    viewer = signed_in(Client(), make_member(project, "vera", Role.VIEWER))
    assert "second factor" not in text(viewer.get(url("members", project))).lower()


def test_somebody_elses_member_is_not_found(admin, project, other_project):
    mallory = make_member(other_project, "mallory")

    for name in ("change_role", "remove_member", "make_signin_link"):
        answer = admin.post(url(name, project, mallory.id), {"role": "viewer"})
        assert answer.status_code == 404


def test_who_may_not_is_told_who_may(client, project, other_project):
    for name, role in (("alice", Role.ADMIN), ("olga", Role.OPERATOR)):
        make_member(project, name, role)
    make_member(other_project, "mallory", Role.ADMIN)
    gone = make_member(project, "gone", Role.ADMIN)
    gone.is_active = False
    gone.save(update_fields=["is_active"])
    viewer = signed_in(client, make_member(project, "vera", Role.VIEWER))

    keys = viewer.get(url("keys", project), headers=HTML)
    fork = viewer.post(url("make_plan", project), headers=HTML)

    assert (keys.status_code, fork.status_code) == (403, 403)
    admins = "Administrators of the project may: <strong>alice</strong>."
    both = "may: <strong>alice</strong>, <strong>olga</strong>."
    assert admins in text(keys)
    assert f"Operators and administrators of the project {both}" in text(fork)
    assert f'href="{url("members", project)}"' in text(keys)
    assert "mallory" not in text(keys)
    assert "gone" not in text(keys)


def test_of_many_who_may_some_are_named(client, project):
    for number in range(9):
        make_member(project, f"admin{number}", Role.ADMIN)
    viewer = signed_in(client, make_member(project, "vera", Role.VIEWER))

    page = text(viewer.get(url("keys", project), headers=HTML))

    assert "<strong>admin7</strong> and others." in page
    assert "admin8" not in page


def test_a_stranger_is_told_nobody(client, project, other_project):
    make_member(project, "alice", Role.ADMIN)
    stranger = signed_in(client, make_member(other_project, "sam", Role.VIEWER))

    page = stranger.get(url("keys", project), headers=HTML)

    assert page.status_code == 404
    assert "alice" not in text(page)


def test_an_administrator_requires_a_reason_of_rollbacks(admin, project):
    where = url("require_rollback_reason", project)

    on = text(admin.post(where, {"is_required": "on"}, follow=True))

    project.refresh_from_db()
    assert project.needs_rollback_reason
    assert "A rollback in Checkout needs a reason." in on
    assert "Require no reason" in on
    record = AuditRecord.objects.get(action="project.changed")
    assert record.details["needs_rollback_reason"] is True
    off = text(admin.post(where, {"is_required": "off"}, follow=True))
    assert "no longer needs a reason" in off
    assert admin.post(where, {"is_required": "x"}, headers=HTML).status_code == 400


def test_others_do_not_decide_whether_rollbacks_need_a_reason(client, project):
    operator = signed_in(client, make_member(project, "olga", Role.OPERATOR))

    answer = operator.post(
        url("require_rollback_reason", project), {"is_required": "on"}, headers=HTML
    )

    project.refresh_from_db()
    assert answer.status_code == 403
    assert not project.needs_rollback_reason
    assert "Reason of a rollback" not in text(operator.get(url("members", project)))
