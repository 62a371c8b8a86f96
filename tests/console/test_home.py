"""Home: where people land after signing in."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts import operations as accounts
from apps.accounts.models import Role
from tests.accounts.make import make_member, make_user
from tests.acts import act_by
from tests.console.agent_pages import make_store, plain
from tests.console.make import HTML, NOW, address, signed_in
from tests.data.conftest import made

HOME = "/console/"


def test_it_sends_to_the_only_project(client, project):
    client = signed_in(client, make_member(project))

    assert client.get(HOME)["Location"] == f"/console/{project.slug}"


def test_the_console_is_found_without_its_slash(client, project):
    asked = client.get("/console", headers=HTML)
    client = signed_in(client, make_member(project))

    answer = client.get("/console", headers=HTML, follow=True)

    assert asked["Location"] == f"{reverse('accounts:sign_in')}?next=/console"
    assert answer.status_code == 200
    assert answer.redirect_chain == [
        ("/console/", 302),
        (f"/console/{project.slug}", 302),
    ]


def test_of_several_projects_it_lets_people_choose(client, project, other_project):
    user = make_member(project)
    accounts.add_member(
        project=other_project,
        user=user,
        role=Role.VIEWER,
        act=act_by(now=NOW),
    )

    page = signed_in(client, user).get(HOME)

    assert page.status_code == 200
    assert address(project) in page.content.decode()
    assert address(other_project) in page.content.decode()


def test_without_a_project_it_says_what_would_help(client, db):
    page = signed_in(client, make_user()).get(HOME)

    assert "not a member of any project" in page.content.decode()


def test_a_stranger_learns_nothing_about_a_project(client, project, other_project):
    client = signed_in(client, make_member(other_project, "mallory"))

    real = client.get(f"/console/{project.slug}", headers={"Accept": "text/html"})
    unreal = client.get("/console/no-such", headers={"Accept": "text/html"})

    assert (real.status_code, unreal.status_code) == (404, 404)
    assert b"text/html" in real["Content-Type"].encode()
    assert without_request_id(real) == without_request_id(unreal)


def test_anonymous_people_sign_in_first(client, db):
    answer = client.get(HOME)

    assert answer.status_code == 302
    assert answer["Location"] == f"{reverse('accounts:sign_in')}?next={HOME}"


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_it_is_only_read(client, project, method):
    client = signed_in(client, make_member(project))

    assert getattr(client, method)(HOME).status_code == 405


def test_the_page_loads_nothing_that_its_policy_forbids(client, db):
    page = signed_in(client, make_user()).get(HOME)

    text = page.content.decode()
    assert "script-src 'self'" in page["Content-Security-Policy"]
    assert "style=" not in text
    assert "<style" not in text


def without_request_id(page):
    return page.content.replace(page["X-Request-Id"].encode(), b"")


@pytest.mark.parametrize(
    ("accept", "type_"),
    [("text/html", "text/html; charset=utf-8"), ("*/*", "application/json")],
)
def test_a_wrong_method_is_told_what_the_address_takes(client, project, accept, type_):
    signed_in(client, make_member(project, "carol", Role.VIEWER))

    answer = client.get(
        f"/console/{project.slug}/keys/issue", headers={"Accept": accept}
    )

    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert answer["Content-Type"] == type_
    assert answer["Content-Length"] == str(len(answer.content))
    assert "answers POST only" in answer.content.decode()
    assert answer["X-Request-Id"] in answer.content.decode()
    assert "default-src 'none'" in answer["Content-Security-Policy"]


def test_a_form_without_its_token_is_told_what_to_do(project):
    client = Client(enforce_csrf_checks=True)
    signed_in(client, make_member(project, "carol", Role.VIEWER))

    answer = client.post("/signout", headers={"Accept": "text/html"})

    assert answer.status_code == 403
    assert "load the page again" in answer.content.decode()
    assert answer["X-Request-Id"] in answer.content.decode()
    assert "<style" not in answer.content.decode()


def test_it_says_how_much_agents_do_with_their_data(
    client, project, other_project, api, make_key
):
    store = make_store(api())
    begun = {"agent_id": store.agent, "initial_state": {}}
    made(store.client.post("/v1/sessions", begun))
    viewer = signed_in(client, make_member(project))
    home = reverse("console:project", args=[project.slug])
    before = plain(viewer.get(home).content.decode())
    made(store.policies(denied_key_prefixes=["card:"]))
    made(store.batch([{"key": key, "value": "v"} for key in ("a", "b", "card:1")]))
    made(make_store(api(make_key(project=other_project))).write("elsewhere"))

    page = plain(viewer.get(home).content.decode())

    assert "Governed operations" not in before
    assert "3 writes to data and config of 1 agent, so far" in page
    assert "1 write blocked by policies 24 h 2 keys kept 2 B" in page
