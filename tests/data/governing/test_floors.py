"""A project's floor: what it blocks, who says so, and that no config lowers it."""

import html
import re
from typing import Any

import pytest
from django.urls import reverse

from apps.accounts.models import Project, Role, Scope
from apps.audit.models import AuditRecord
from apps.audit.operations import verify_records
from tests.accounts.make import make_member
from tests.audit.rows.looking import found, run
from tests.conftest import Api
from tests.console.make import HTML, signed_in
from tests.data.conftest import Store, made

pytestmark = pytest.mark.django_db

MAIL = "ann.planted@example.com"
FLOOR = {"block_pii": True, "max_keys_per_agent": 2, "denied_key_prefixes": ["x:"]}
PATH = "/v1/project/policies"


@pytest.fixture
def admin(api: Any, make_key: Any) -> Api:
    client: Api = api(make_key(Scope.ADMIN))
    return client


def test_no_config_lowers_it_and_answers_say_whose_it_is(
    store: Store, admin: Api
) -> None:
    assert made(admin.get(PATH))["policies"] == {}
    assert made(admin.put(PATH, {"policies": FLOOR}))["policies"] == FLOOR

    lower = made(store.policies(block_pii=False, max_keys_per_agent=9))
    blocked = made(store.write("contact", MAIL))

    assert lower["config"]["policies"]["max_keys_per_agent"] == 9
    assert lower["floor"] == made(store.config())["floor"] == FLOOR
    assert (blocked["allowed"], blocked["floor"]) == (False, True)
    assert "project's floor" in blocked["message"]
    assert made(store.write("x:1"))["floor"] is True
    full = made(store.batch([{"key": key, "value": "v"} for key in "abc"]))["results"]
    assert [one["allowed"] for one in full] == [True, True, False]
    assert full[2]["floor"] is True
    record = AuditRecord.objects.filter(rule="policy:block_pii").get()
    assert record.details["by"] == "project floor"


def test_what_the_config_blocks_as_well_is_the_configs(
    store: Store, admin: Api
) -> None:
    made(admin.put(PATH, {"policies": FLOOR}))
    made(store.policies(block_pii=True, block_secrets=True))

    assert "floor" not in made(store.write("a", MAIL))
    assert "floor" not in made(store.write("b", "password=Sup3rSecr3t-77"))
    made(admin.put(PATH, {"policies": {}}))
    made(store.policies())
    assert made(store.write("a", MAIL))["allowed"]


def test_an_exception_lets_pass_what_the_floor_blocks(store: Store, admin: Api) -> None:
    made(admin.put(PATH, {"policies": FLOOR}))
    audit_id = made(store.write("contact", MAIL))["audit_id"]
    said = {"audit_id": audit_id, "reason": "Our own helpdesk."}
    made(admin.post(f"{store.path}/exceptions", said))

    assert made(store.write("contact", MAIL))["allowed"]


def test_a_change_is_recorded_and_covered(admin: Api, project: Project) -> None:
    made(admin.put(PATH, {"policies": FLOOR}))
    made(admin.put(PATH, {"policies": FLOOR}))

    changes = AuditRecord.objects.filter(stream_id=project.id, action="project.changed")
    (change,) = changes
    assert change.details["floor"] == FLOOR
    assert verify_records(stream_id=project.id).is_intact
    assert not found(project)
    run("accounts_project", "UPDATE accounts_project SET floor = '{}'")
    (damage,) = found(project)
    assert "floor" in damage


def test_only_administrators_set_it(store: Store, api: Any, make_key: Any) -> None:
    writer = api(make_key(Scope.WRITE))
    limited = api(make_key(Scope.ADMIN, agents=["billing"]))

    for client in (writer, limited):
        refused = client.put(PATH, {"policies": {}})
        assert (refused.status, refused.code) == (403, "permission_denied")


@pytest.mark.parametrize(
    ("body", "code", "param"),
    [
        ({"policies": {"block_pi": True}}, "invalid_policy", "/policies/block_pi"),
        ({"policies": []}, "invalid_request", "policies"),
        ({}, "invalid_request", "policies"),
        (
            {"policies": {"denied_key_prefixes": ["y" * 500] * 40}},
            *("content_too_large", "policies"),
        ),
    ],
)
def test_what_cannot_be_kept_is_named(
    admin: Api, body: Any, code: str, param: str
) -> None:
    answer = admin.put(PATH, body)

    assert (answer.code, answer.body["error"]["param"]) == (code, param)


def test_the_console_shows_and_sets_it(
    client: Any, project: Project, store: Store, admin: Api
) -> None:
    address = reverse("console:project_policies", args=[project.slug])
    setting = reverse("console:set_project_policies", args=[project.slug])
    browser = signed_in(client, make_member(project, "ada", Role.ADMIN))

    led = browser.post(setting, {"policies": '{"block_pii": true}'}, headers=HTML)
    wrong = [
        browser.post(setting, {"policies": said}, headers=HTML)
        for said in ('{"block_pi": true}', "[1]", "{", "", "[" * 9_000)
    ]

    assert led.status_code == 303
    assert [one.status_code for one in wrong] == [422] * 5
    assert "Did you mean block_pii?" in wrong[0].content.decode()
    assert made(admin.get(PATH))["policies"] == {"block_pii": True}
    made(store.configure({"tone": "kind"}))
    made(store.write("contact", MAIL))
    shown = browser.get(address, headers=HTML).content.decode()
    assert "What looks like personal data is blocked." in shown
    agent = made(store.client.get(store.path))["id"]
    for name, said in (
        ("agent_config", "personal data is blocked"),
        ("agent_detail", "project&#x27;s floor"),
        ("agent_blocked", "of the project floor"),
    ):
        page = browser.get(
            reverse(f"console:{name}", args=[project.slug, agent]), headers=HTML
        )
        assert said in page.content.decode().replace("project's", "project&#x27;s")
    viewer = signed_in(client, make_member(project, "vera", Role.VIEWER))
    assert viewer.post(setting, {"policies": "{}"}).status_code == 403
    assert "An administrator can set it." in viewer.get(address).content.decode()


def test_what_another_administrator_set_meanwhile_is_not_set_back(
    client: Any, project: Project, admin: Api
) -> None:
    address = reverse("console:project_policies", args=[project.slug])
    setting = reverse("console:set_project_policies", args=[project.slug])
    browser = signed_in(client, make_member(project, "ada", Role.ADMIN))
    stale = {"policies": '{"block_pii": true}', "seen": seen_on(browser.get(address))}
    theirs = {"policies": '{"block_secrets": true}', "seen": stale["seen"]}
    for _ in range(2):
        assert browser.post(setting, theirs, headers=HTML)["Location"] == address

    refused = browser.post(setting, stale, headers=HTML)

    assert refused.status_code == 303
    page = browser.get(refused["Location"])
    told = html.unescape(page.content.decode())
    assert "Somebody has changed this project's policies since you looked" in told
    assert f"{stale['policies']}</bdi></pre>" in told, "what had been typed is kept"
    assert made(admin.get(PATH))["policies"] == {"block_secrets": True}
    again = {**stale, "seen": seen_on(page)}
    assert browser.post(setting, again, headers=HTML)["Location"] == address
    assert made(admin.get(PATH))["policies"] == {"block_pii": True}


def seen_on(page: Any) -> str:
    (found,) = re.findall(r'name="seen" value="([^"]+)"', page.content.decode())
    return str(found)
