"""The rule of links: who may let whom in, where to, and what ends a link."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.errors import LinkNotUsable
from apps.accounts.models import BrowserSession, Invitation, Role, SigninLink, User
from apps.audit.models import AuditRecord
from apps.core.errors import InvalidRequest, PermissionDenied
from tests.accounts.make import NOW, PASSWORD, make_member, make_project
from tests.acts import act_by

ABOUT = {"act": act_by(now=NOW)}
USE = {"now": NOW, "request_id": "req_1"}
BACKEND = "django.contrib.auth.backends.ModelBackend"


def about(user, now=NOW):
    return {"act": act_by(actor_of(user), now)}


def password_link(project, user, **more):
    _, token = accounts.make_password_link(
        project=project, user=user, **{**ABOUT, **more}
    )
    return token


def signin_link(project, user, **more):
    link, token = accounts.make_signin_link(
        project=project, user=user, **{**ABOUT, **more}
    )
    return link, token


def test_a_weak_password_leaves_the_link_as_it_was(db):
    project = make_project()
    token = password_link(project, make_member(project, "nina"))

    with pytest.raises(InvalidRequest):
        accounts.use_password_link(token=token, password="password", **USE)

    assert SigninLink.objects.get().used_at is None
    accounts.use_password_link(token=token, password=PASSWORD, **USE)


def test_a_password_like_the_name_is_refused(db):
    project = make_project()
    nina = make_member(project, "nina.andersson")
    token = password_link(project, nina)

    for password in ("nina.andersson", "Nina.Andersson", "nina.andersson1"):
        with pytest.raises(InvalidRequest, match="too similar to the username"):
            accounts.use_password_link(token=token, password=password, **USE)
    with pytest.raises(InvalidRequest):
        accounts.change_password(user=nina, password="nina.andersson", **ABOUT)
    assert not User.objects.get().has_usable_password()


def test_each_link_is_for_its_own_purpose(db):
    project = make_project()
    nina = make_member(project, "nina")
    _, signing = signin_link(project, nina)
    resetting = password_link(project, nina)

    with pytest.raises(LinkNotUsable):
        accounts.use_password_link(token=signing, password=PASSWORD, **USE)
    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token=resetting, **USE)


def test_nobody_gives_a_password_that_opens_what_they_do_not_administer(db):
    mine, theirs = make_project("mine"), make_project("theirs")
    alice, nina = make_member(mine, "alice"), make_member(mine, "nina")
    password_link(mine, nina, **about(alice))

    accounts.add_member(project=theirs, user=nina, role=Role.VIEWER, **ABOUT)

    with pytest.raises(PermissionDenied, match="do not administer"):
        password_link(mine, nina, **about(alice))
    password_link(mine, nina)  # whoever runs the installation may


def test_who_administers_all_of_somebodys_projects_makes_a_whole_link(db):
    mine, also = make_project("mine"), make_project("also")
    alice, nina = make_member(mine, "alice"), make_member(mine, "nina")
    for user, role in ((alice, Role.ADMIN), (nina, Role.VIEWER)):
        accounts.add_member(project=also, user=user, role=role, **ABOUT)

    link, _ = signin_link(mine, nina, **about(alice))

    assert not link.is_limited
    assert password_link(mine, nina, **about(alice))


def test_a_link_dies_when_its_person_joins_another_project(db):
    project = make_project("mine")
    nina = make_member(project, "nina")
    resetting, (_, signing) = password_link(project, nina), signin_link(project, nina)
    later = {"act": act_by(now=NOW + timedelta(minutes=1))}
    accounts.add_member(
        project=make_project("theirs"), user=nina, role=Role.ADMIN, **later
    )

    with pytest.raises(LinkNotUsable):
        accounts.use_password_link(token=resetting, password=PASSWORD, **USE)
    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token=signing, **USE)


def test_a_reset_ends_all_other_links_and_sessions(client, db):
    project = make_project()
    nina = make_member(project, "nina")
    client.force_login(nina, BACKEND)
    now = timezone.now()
    tokens = [password_link(project, nina, act=act_by(now=now)) for _ in range(2)]
    _, signing = signin_link(project, nina, act=act_by(now=now))
    _, another = signin_link(project, make_member(project, "ben"), act=act_by(now=now))
    asked = {"now": now, "request_id": "req_1"}

    accounts.use_password_link(token=tokens[0], password=PASSWORD, **asked)

    assert client.get(reverse("accounts:account")).status_code == 302
    assert not BrowserSession.objects.exists()
    with pytest.raises(LinkNotUsable):
        accounts.use_password_link(token=tokens[1], password=PASSWORD, **asked)
    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token=signing, **asked)
    assert accounts.use_signin_link(token=another, **asked)


@pytest.fixture
def shared(db):
    """Two projects with administrators of their own, and somebody in both."""
    mine, theirs = make_project("mine"), make_project("theirs")
    alice, mallory = make_member(mine, "alice"), make_member(theirs, "mallory")
    nina = make_member(mine, "nina", Role.OPERATOR)
    accounts.add_member(project=theirs, user=nina, role=Role.ADMIN, **ABOUT)
    return mine, theirs, alice, mallory, nina


def test_nobody_loses_the_right_to_let_their_own_people_in(shared):
    mine, _, alice, _, nina = shared

    link, token = signin_link(mine, nina, **about(alice))

    assert link.is_limited
    used = accounts.use_signin_link(token=token, **USE)
    assert (used.user, used.project, used.is_limited) == (nina, mine, True)
    record = AuditRecord.objects.get(action="signin_link.used")
    assert record.details == {"username": "nina", "opens": "mine"}


def limited(client, shared):
    """Come in as nina by the link of one project's administrator."""
    mine, _, alice, _, nina = shared
    _, token = signin_link(mine, nina, **about(alice, timezone.now()))
    return client.post(reverse("accounts:signin_link", args=[token]))


def test_a_limited_link_opens_its_project_alone(client, shared):
    limited(client, shared)

    assert client.get(reverse("console:home"))["Location"] == "/console/mine"
    assert client.get("/console/mine").status_code == 200
    page = client.get("/console/mine/sessions").content.decode()
    assert "Theirs" not in page
    for path in ("/console/theirs", "/console/theirs/members"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("asked_for", "leads_to"),
    [
        ("/console/mine/sessions?q=x", "/console/mine/sessions?q=x"),
        ("/console/theirs/sessions", "/console/"),
        ("/console/mine-too", "/console/"),
        ("/account", "/console/"),
        ("/nowhere", "/console/"),
    ],
)
def test_a_limited_link_leads_to_pages_of_its_project_alone(
    client, shared, asked_for, leads_to
):
    client.get("/signin", {"next": asked_for})

    assert limited(client, shared)["Location"] == leads_to


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/account"),
        ("get", "/password"),
        ("post", "/password"),
        ("get", "/account/second-factor"),
        ("post", "/account/second-factor"),
        ("post", "/account/sessions/end"),
        ("post", "/account/sessions/x/end"),
    ],
)
def test_and_never_the_account(client, shared, method, path):
    limited(client, shared)
    data = {"act": "begin", "password": PASSWORD, "again": PASSWORD}

    answer = getattr(client, method)(path, data)

    assert answer.status_code == 403
    assert "link for one project" in answer.content.decode()
    assert not User.objects.get(username="nina").has_usable_password()


def test_nor_does_it_join_another_project(client, shared):
    limited(client, shared)
    _, token = accounts.invite(
        project=make_project("third"),
        role=Role.ADMIN,
        act=act_by(),
    )
    path = reverse("accounts:invitation", args=[token])

    page = client.get(path)
    answer = client.post(path, {"how": "join"})

    assert "Join as nina" not in page.content.decode()
    assert answer.status_code == 200
    assert Invitation.objects.get().used_at is None


def test_a_limited_link_ends_with_the_membership(shared):
    mine, _, alice, _, nina = shared
    _, token = signin_link(mine, nina, **about(alice))
    accounts.remove_member(project=mine, user=nina, **ABOUT)

    with pytest.raises(LinkNotUsable):
        accounts.use_signin_link(token=token, **USE)


def test_who_signs_in_by_password_afterwards_comes_in_whole(client, shared):
    nina = shared[-1]
    limited(client, shared)
    nina.refresh_from_db()  # with a password of her own, from elsewhere
    nina.set_password(PASSWORD)
    nina.save()

    client.post("/signin", {"username": "nina", "password": PASSWORD})

    assert client.get("/console/theirs").status_code == 200
    assert client.get("/account").status_code == 200


def test_a_limited_link_makes_no_browser_known(client, shared):
    assert "stepback_known" not in limited(client, shared).cookies
