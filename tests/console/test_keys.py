"""The API keys page: a secret once, what a key may do, and its end."""

import re

import pytest
from django.urls import reverse

from apps.accounts import operations as accounts
from apps.accounts.models import ApiKey, Role, Scope
from apps.audit.models import AuditRecord
from tests.accounts.make import make_key, make_member
from tests.acts import act_by
from tests.conftest import Api
from tests.console.make import HTML, NOW, signed_in


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "alice", Role.ADMIN))


def url(name, project, *more):
    return reverse(f"console:{name}", args=[project.slug, *more])


def text(page):
    return page.content.decode()


def issue(client, project, **data):
    return client.post(
        url("issue_key", project), {"name": "bot", "scope": "write", **data}
    )


def test_a_new_key_works_and_its_secret_is_shown_once(admin, project):
    page = issue(admin, project)

    secret = re.search(r'id="secret"[^>]*>(sb_\w+)<', text(page))[1]
    assert page.status_code == 201
    assert page.headers["Cache-Control"] == "no-store"
    assert Api(secret).get("/v1/sessions").status == 200
    listed = text(admin.get(url("keys", project)))
    assert secret not in listed
    assert secret[:11] in listed
    assert AuditRecord.objects.get(action="key.created").actor_label == "alice"


def test_a_key_begins_as_it_was_asked_for(admin, project):
    page = issue(admin, project, begins_with="anc_")

    secret = re.search(r'id="secret"[^>]*>(anc_\w+)<', text(page))[1]
    assert Api(secret).get("/v1/sessions").status == 200
    assert Api(secret).get("/agents").status == 200
    assert secret[:12] in text(admin.get(url("keys", project)))


def test_a_key_is_limited_as_it_was_asked_for(admin, project):
    issue(admin, project, scope="read", agents_named="b, a,,", expires_days="2")

    key = ApiKey.objects.get()
    assert (key.scope, key.agents) == ("read", ["a", "b"])
    assert (key.expires_at - key.created_at).days == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"name": ""}, "required"),
        ({"name": "a\tb"}, "printable"),
        ({"scope": "all"}, "not one of the available choices"),
        ({"expires_days": "0"}, "greater than or equal to 1"),
        ({"agents_named": "a\x00"}, "Null characters"),
    ],
)
def test_a_key_that_cannot_be_is_told_why(admin, project, data, said):
    page = issue(admin, project, **data)

    assert page.status_code == 422
    assert said in text(page)
    assert not ApiKey.objects.exists()


def test_a_revoked_key_opens_nothing_and_stays_listed(admin, project):
    key, secret = make_key(project)

    page = admin.post(url("revoke_key", project, key.id), follow=True)

    assert "is revoked" in text(page)
    assert Api(secret).get("/v1/sessions").status == 401
    assert "revoked" in text(admin.get(url("keys", project)))


def test_revoking_twice_is_told(admin, project):
    key, _ = make_key(project)
    admin.post(url("revoke_key", project, key.id))

    answer = admin.post(url("revoke_key", project, key.id), headers=HTML)

    assert answer.status_code == 409


def test_another_projects_key_is_not_found(admin, project, other_project):
    key, _ = make_key(other_project)

    answer = admin.post(url("revoke_key", project, key.id))

    assert answer.status_code == 404
    assert ApiKey.objects.get().revoked_at is None


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_the_list_is_for_administrators(client, project, role):
    colleague = signed_in(client, make_member(project, "carol", role))

    refused = colleague.get(url("keys", project), headers=HTML)

    assert refused.status_code == 403
    assert "Administrators of the project may" in text(refused)
    assert refused.headers["X-Request-Id"] in text(refused)
    assert 'data-copies="request-id"' in text(refused)


def test_many_keys_are_listed_page_by_page(admin, project):
    for number in range(52):
        accounts.issue_key(
            project=project,
            name=f"key {number:02}.",
            scope=Scope.READ,
            act=act_by(now=NOW),
        )

    first = admin.get(url("keys", project))
    older = re.search(r'href="([^"]+\?after=[^"]+)" rel="next"', text(first))[1]
    second = admin.get(older)

    shown = [re.findall(r"key \d\d\.", text(page)) for page in (first, second)]
    assert [len(set(names)) for names in shown] == [50, 2]
    assert not set(shown[0]) & set(shown[1])
    assert admin.get(url("keys", project) + "?after=x").status_code == 400


def test_what_a_key_is_called_is_shown_as_text(admin, project):
    issue(admin, project, name="<b>&x</b>")

    assert "&lt;b&gt;&amp;x&lt;/b&gt;" in text(admin.get(url("keys", project)))


def test_unknown_input_can_be_ignored_for_a_while(admin, project):
    _, secret = make_key(project)
    asked = {"agent_id": "a", "invented": 1}
    assert Api(secret).post("/v1/sessions", asked).code == "unknown_field"

    page = admin.post(
        url("set_handling", project), {"handling": "lenient"}, follow=True
    )

    assert "are ignored, and the answer names them." in text(page)
    assert '<option value="lenient" selected>' in text(page)
    assert Api(secret).post("/v1/sessions", asked).body["ignored"] == ["invented"]
    assert AuditRecord.objects.get(action="project.changed").actor_label == "alice"


def test_there_are_two_ways_to_handle_it(admin, project):
    answer = admin.post(url("set_handling", project), {"handling": "x"}, headers=HTML)

    assert answer.status_code == 400
    assert not AuditRecord.objects.filter(action="project.changed").exists()


def test_a_form_that_is_sent_twice_makes_one_key(admin, project):
    page = text(admin.get(url("keys", project)))
    (key,) = re.findall(r'name="key" value="([^"]+)"', page)

    first, again = (issue(admin, project, key=key) for _ in range(2))

    assert first.status_code == 201
    assert again["Location"] == url("keys", project)
    shown = text(admin.get(again["Location"]))
    assert "its key is made, and was shown once" in shown
    assert ApiKey.objects.filter(project=project, name="bot").count() == 1
