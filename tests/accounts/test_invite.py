"""Invitations: they name nobody, are accepted once, and by consent alone."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.errors import (
    AlreadyMember,
    InvitationNotFound,
    LinkNotUsable,
    NameTaken,
)
from apps.accounts.models import BrowserSession, Invitation, Membership, Role, User
from apps.audit.models import AuditRecord
from apps.core.actors import SYSTEM
from apps.core.errors import InvalidRequest
from tests.accounts.make import (
    NOW,
    PASSWORD,
    make_link,
    make_member,
    make_project,
    make_user,
)
from tests.accounts.test_races import at_once, refusals
from tests.acts import act_by

ABOUT = {"act": act_by(now=NOW)}
USE = {"now": NOW, "request_id": "req_1"}
BACKEND = "django.contrib.auth.backends.ModelBackend"


def invite(project, role=Role.VIEWER, *, by=SYSTEM, now=NOW):
    _, token = accounts.invite(act=act_by(by, now), project=project, role=role)
    return token


def newcomer(token, username="nina", password=PASSWORD, **about):
    return accounts.accept_as_newcomer(
        token=token, username=username, password=password, **{**USE, **about}
    )


def recorded(project):
    records = AuditRecord.objects.for_project(project.id).oldest_first()
    return [(one.action, one.actor_label) for one in records]


def test_a_newcomer_chooses_a_name_and_is_a_member(db):
    project = make_project()
    token = invite(project, Role.OPERATOR)

    membership = newcomer(token, "Nina")

    assert (membership.user.username, membership.role) == ("nina", Role.OPERATOR)
    assert User.objects.get().check_password(PASSWORD)
    assert recorded(project)[1:] == [
        ("invitation.created", "system"),
        ("member.added", "nina"),
        ("invitation.used", "nina"),
    ]
    made = AuditRecord.objects.get(action="user.created")
    assert made.actor_id == membership.user_id


def test_who_has_an_account_joins_with_it(db):
    project, nina = make_project(), make_user("nina")

    membership = accounts.accept_invitation(token=invite(project), user=nina, **USE)

    assert (membership.user, membership.role) == (nina, Role.VIEWER)
    assert User.objects.count() == 1


def test_it_is_accepted_once(db):
    token = invite(make_project())
    newcomer(token)

    with pytest.raises(LinkNotUsable):
        newcomer(token, "mallory")
    with pytest.raises(LinkNotUsable):
        accounts.accept_invitation(token=token, user=make_user("ben"), **USE)
    assert Membership.objects.count() == 1


def test_it_waits_three_days(db):
    token = invite(make_project())

    with pytest.raises(LinkNotUsable):
        newcomer(token, now=NOW + timedelta(days=3))
    assert newcomer(token, now=NOW + timedelta(days=2, hours=23))


@pytest.mark.parametrize(
    ("name", "password", "error"),
    [
        ("alice", PASSWORD, NameTaken),
        ("a/b", PASSWORD, InvalidRequest),
        ("nina", "short", InvalidRequest),
        ("nina-long-enough", "nina-long-enough", InvalidRequest),
    ],
)
def test_what_comes_to_nothing_leaves_it_open(db, name, password, error):
    project = make_project()
    make_user("alice")
    token = invite(project)

    with pytest.raises(error):
        newcomer(token, name, password)

    assert Invitation.objects.get().used_at is None
    assert recorded(project)[-1][0] == "invitation.created"
    assert newcomer(token, "nina")


def test_a_member_who_opens_it_leaves_it_to_others(db):
    project = make_project()
    alice = make_member(project)
    token = invite(project)

    with pytest.raises(AlreadyMember):
        accounts.accept_invitation(token=token, user=alice, **USE)

    assert Membership.objects.get().role == Role.ADMIN
    assert newcomer(token)


def test_the_token_is_stored_nowhere(db):
    token = invite(make_project())

    assert token not in str(Invitation.objects.values().get())
    assert not AuditRecord.objects.filter(details__icontains=token).exists()


def test_a_withdrawn_one_opens_nothing(db):
    project = make_project()
    token = invite(project)
    about = {"project": project, "invitation_id": Invitation.objects.get().id}

    accounts.withdraw_invitation(**about, **ABOUT)

    with pytest.raises(LinkNotUsable):
        newcomer(token)
    with pytest.raises(InvitationNotFound):
        accounts.withdraw_invitation(**about, **ABOUT)
    assert recorded(project)[-1][0] == "invitation.withdrawn"


def test_nobody_withdraws_another_projects(db):
    token = invite(make_project("mine"))

    with pytest.raises(InvitationNotFound):
        accounts.withdraw_invitation(
            project=make_project("theirs"),
            invitation_id=Invitation.objects.get().id,
            **ABOUT,
        )
    assert newcomer(token)


@pytest.mark.parametrize("loses", ["role", "membership"])
def test_who_administers_no_more_cannot_come_back_by_an_invitation(db, loses):
    project = make_project()
    make_member(project, "anna")
    mallory = make_member(project, "mallory")
    by_mallory = invite(project, Role.ADMIN, by=actor_of(mallory))
    by_command = invite(project)

    if loses == "role":
        accounts.change_role(project=project, user=mallory, role=Role.VIEWER, **ABOUT)
    else:
        accounts.remove_member(project=project, user=mallory, **ABOUT)

    with pytest.raises(LinkNotUsable):
        newcomer(by_mallory, "again")
    assert newcomer(by_command)


def test_only_so_many_are_open_at_once(db, monkeypatch):
    monkeypatch.setattr("apps.accounts.operations.invitations.MOST_OPEN", 2)
    project = make_project()
    tokens = [invite(project) for _ in range(2)]

    with pytest.raises(InvalidRequest, match="2 open invitations"):
        invite(project)
    newcomer(tokens[0])
    assert invite(project)


@pytest.mark.django_db(transaction=True)
def test_of_four_who_open_it_at_once_one_gets_in():
    project = make_project()
    token = invite(project)

    outcomes = at_once(
        *(lambda number=number: newcomer(token, f"nina{number}") for number in range(4))
    )

    assert refusals(outcomes) == [LinkNotUsable] * 3
    # Nobody is left behind with an account and no project.
    assert Membership.objects.count() == User.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_it_is_either_accepted_or_withdrawn():
    project = make_project()
    token = invite(project)
    known = Invitation.objects.get().id

    outcomes = at_once(
        lambda: newcomer(token),
        lambda: accounts.withdraw_invitation(
            project=project, invitation_id=known, **ABOUT
        ),
    )

    one = Invitation.objects.get()
    assert len(refusals(outcomes)) == 1
    assert (one.used_at is None) != (one.withdrawn_at is None)
    assert Membership.objects.exists() == (one.used_at is not None)


def test_joining_ends_the_sessions_that_somebody_else_could_hold(client, db):
    """An administrator who came in as her by a link must not see the new project."""
    mine, theirs = make_project("mine"), make_project("theirs")
    nina = make_member(mine, "nina", Role.VIEWER)
    now = timezone.now()
    link = make_link(mine, nina, now=now)
    client.force_login(nina, BACKEND)

    token = invite(theirs, now=now)
    accounts.accept_invitation(token=token, user=nina, now=now, request_id="r")

    assert not BrowserSession.objects.exists()
    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token=link, now=now, request_id="r")


def test_also_of_somebody_who_was_removed_from_the_other_project_first(client, db):
    """Its administrator came in as her by a link, then took her out of it."""
    mine, theirs = make_project("mine"), make_project("theirs")
    make_member(mine, "alice")
    nina = make_member(mine, "nina", Role.VIEWER)
    client.force_login(nina, BACKEND)
    accounts.remove_member(project=mine, user=nina, **ABOUT)

    token = invite(theirs, now=timezone.now())
    accounts.accept_invitation(
        token=token, user=nina, now=timezone.now(), request_id="r"
    )

    page = client.get(reverse("console:project", args=[theirs.slug]))
    assert page["Location"].startswith(reverse("accounts:sign_in"))
    assert not BrowserSession.objects.exists()


def test_nor_is_one_that_was_just_being_made_open_afterwards(client, db):
    """Of ten links used in the moment of joining, one or two led into the project."""
    mine, theirs = make_project("mine"), make_project("theirs")
    nina = make_member(mine, "nina", Role.VIEWER)
    before = User.objects.get()
    now = timezone.now()

    accounts.accept_invitation(
        token=invite(theirs, now=now), user=nina, now=now, request_id="r"
    )

    client.force_login(before, BACKEND)
    page = client.get(reverse("console:project", args=[theirs.slug]))
    assert page["Location"].startswith(reverse("accounts:sign_in"))
    link = make_link(mine, before, now=now)
    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token=link, now=now, request_id="r")
    client.force_login(User.objects.get(), BACKEND)
    assert client.get(page.wsgi_request.path).status_code == 200


# The page


@pytest.fixture
def token(db):
    return invite(make_project(), Role.OPERATOR, now=timezone.now())


def address(token):
    return reverse("accounts:invitation", args=[token])


def as_newcomer(client, token, username="nina", password=PASSWORD, again=None):
    data = {
        "how": "new",
        "new-username": username,
        "new-password": password,
        "new-again": password if again is None else again,
    }
    return client.post(address(token), data)


def as_known(client, token, username="nina", password=PASSWORD):
    data = {
        "how": "known",
        "known-username": username,
        "known-password": password,
    }
    return client.post(address(token), data)


def is_signed_in(client):
    return client.get(reverse("console:home")).status_code == 302 and (
        "_auth_user_id" in client.session
    )


def test_looking_at_it_uses_nothing_and_names_nobody(client, token):
    page = client.get(address(token))

    assert page.status_code == 200
    assert "Welcome to Checkout" in page.content.decode()
    assert "Operator" in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    # The token is in no form and no link of the page: only in its own address.
    assert token not in page.content.decode()
    assert Invitation.objects.get().used_at is None


def test_a_newcomer_is_signed_in(client, token):
    answer = as_newcomer(client, token)

    assert answer["Location"] == reverse("console:project", args=["checkout"])
    assert client.get(answer["Location"]).status_code == 200
    assert client.get(address(token)).status_code == 410


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"username": "alice"}, "This name is in use"),
        ({"username": "a/b"}, "A user name has"),
        ({"username": ""}, "required"),
        ({"again": "other"}, "The two passwords differ."),
        ({"password": "password"}, "too common"),
        (
            {"username": "nina.andersson", "password": "nina.andersson"},
            "too similar to the username",
        ),
    ],
)
def test_what_does_not_do_is_told_beside_its_field(client, token, data, said):
    make_user("alice")

    page = as_newcomer(client, token, **data)

    assert page.status_code == 422
    assert said in page.content.decode()
    assert not is_signed_in(client)
    assert Invitation.objects.get().used_at is None


def test_who_has_an_account_signs_in_and_joins_in_one_step(client, token):
    make_user("nina", password=PASSWORD)

    answer = as_known(client, token, " Nina ")

    assert client.get(answer["Location"]).status_code == 200
    assert Membership.objects.get().role == "operator"


def test_a_wrong_password_joins_nobody_and_counts(client, token):
    make_user("nina", password=PASSWORD)

    answers = [as_known(client, token, password="wrong one") for _ in range(10)]

    assert [one.status_code for one in answers] == [422] * 9 + [429]
    assert "do not belong together" in answers[0].content.decode()
    assert as_known(client, token).status_code == 429
    assert not Membership.objects.exists()


def test_who_is_signed_in_joins_by_a_button(client, token):
    nina = make_user("nina", password=PASSWORD)
    client.force_login(nina, BACKEND)

    page = client.get(address(token))
    answer = client.post(address(token), {"how": "join"})

    assert "Join as nina" in page.content.decode()
    assert client.get(answer["Location"]).status_code == 200
    assert Membership.objects.get().user == nina
    assert BrowserSession.objects.count() == 1


def test_who_belongs_to_another_project_joins_by_the_button_too(client, token):
    nina = make_member(make_project("mine"), "nina")
    client.force_login(nina, BACKEND)
    before = client.session.session_key

    answer = client.post(address(token), {"how": "join"})

    assert client.get(answer["Location"]).status_code == 200
    assert BrowserSession.objects.get().session_key != before


@pytest.mark.parametrize(("password", "joins"), [(None, True), (PASSWORD, False)])
def test_who_came_by_a_link_says_the_password_if_there_is_one(
    client, token, password, joins
):
    """The link's maker may have chosen it: nobody else would know, nor notice."""
    mine, now = make_project("mine"), timezone.now()
    nina = make_member(mine, "nina")
    if password:
        nina.set_password(password)
        nina.save()
    link = make_link(mine, nina, now=now)
    client.post(reverse("accounts:signin_link", args=[link]))

    page = client.get(address(token)).content.decode()
    answer = client.post(address(token), {"how": "join"})

    assert ("Join as nina" in page) == joins
    assert (answer.status_code == 302) == joins
    assert as_known(client, token).status_code == (410 if joins else 302)
    assert Membership.objects.filter(user=nina).count() == 2


@pytest.mark.parametrize("how", ["join", "", "else"])
def test_a_stranger_joins_nothing_by_the_button(client, token, how):
    assert client.post(address(token), {"how": how}).status_code == 200
    assert not Membership.objects.exists()


def test_a_member_is_led_in_and_the_invitation_stays(client, db):
    project = make_project()
    alice = make_member(project, "alice")
    token = invite(project, now=timezone.now())
    client.force_login(alice, BACKEND)

    answer = client.post(address(token), {"how": "join"}, follow=True)

    assert "stays open for others" in answer.content.decode()
    assert Invitation.objects.get().used_at is None
    assert Membership.objects.get().role == "admin"


def test_names_are_not_tried_by_the_thousand(client, token):
    make_user("alice")

    answers = [as_newcomer(client, token, "alice") for _ in range(31)]

    assert [one.status_code for one in answers] == [422] * 30 + [429]


def test_nor_by_an_administrator_from_many_addresses(db):
    project, now = make_project(), timezone.now()
    make_user("alice")
    tokens = [invite(project, now=now) for _ in range(3)]

    answers = [
        as_newcomer(Client(REMOTE_ADDR=f"203.0.113.{n}"), tokens[n % 3], "alice")
        for n in range(62)
    ]

    assert [one.status_code for one in answers[58:]] == [422, 422, 429, 429]
    assert "Come back later" in answers[-1].content.decode()
    elsewhere = invite(make_project("other"), now=now)
    assert as_newcomer(Client(), elsewhere).status_code == 302


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("token", ["nobody", "a" * 43, "%C3%BC"])
def test_an_unknown_one_is_gone(client, db, method, token):
    page = getattr(client, method)(f"/invitation/{token}", {"how": "new"})

    assert page.status_code == 410
    assert "no longer works" in page.content.decode()


def test_the_forms_are_protected_against_other_sites(db, token):
    client = Client(enforce_csrf_checks=True)

    assert as_newcomer(client, token).status_code == 403
    assert not User.objects.exists()


def test_all_forms_say_what_their_fields_are(client, token):
    page = client.get(address(token)).content.decode()

    named = set(re.findall(r'<label for="([\w-]+)"', page))
    assert named == {
        "id_known-username",
        "id_known-password",
        "id_new-username",
        "id_new-password",
        "id_new-again",
    }
