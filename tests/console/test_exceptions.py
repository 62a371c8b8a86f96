"""Exceptions in the console: what was blocked is allowed, by role, and no more."""

from typing import Any

import pytest
from django.urls import reverse

from apps.accounts.models import Role, User
from apps.agents.models import Agent
from apps.audit.models import AuditRecord
from apps.data.models import PolicyException
from tests.accounts.make import make_member
from tests.console.agent_pages import make_store, plain, row_heads
from tests.console.make import HTML, signed_in
from tests.data.conftest import Store, made

pytestmark = pytest.mark.django_db

MAIL = "ann.planted@example.com"
PASSWORD = "password=Sup3rSecr3t-77"
GIVEN = {"covers": "text", "days": "30", "reason": "Our own helpdesk.", "key": "k1"}


@pytest.fixture
def store(api: Any) -> Store:
    store = make_store(api())
    made(store.policies(block_pii=True, block_secrets=True, denied_key_prefixes=["x:"]))
    made(store.write("contact", MAIL))
    made(store.write("login", PASSWORD))
    made(store.write("x:1", "v"))
    return store


@pytest.fixture
def person(client: Any, project: Any, store: Store) -> Any:
    """Sign somebody in by their role; return how they look and how they act."""
    agent = Agent.objects.get(external_id=store.agent)

    class Person:
        def __init__(self, role: Role) -> None:
            self.browser = signed_in(client, make_member(project, role.value, role))

        def at(self, name: str, *more: Any) -> str:
            return reverse(f"console:{name}", args=[project.slug, agent.id, *more])

        def looks(self, name: str = "agent_blocked", *more: Any) -> str:
            answer = self.browser.get(self.at(name, *more), headers=HTML)
            assert answer.status_code == 200, answer.content.decode()
            return answer.content.decode()

        def acts(self, name: str, *more: Any, **given: str) -> Any:
            return self.browser.post(self.at(name, *more), given, headers=HTML)

    return Person


def numbers(page: str) -> list[int]:
    """Return which blocked writes have a way to an exception."""
    return [int(one.split("/")[0]) for one in page.split("/blocked/")[1:]]


def test_an_operator_allows_personal_data_and_ends_it(
    person: Any, store: Store
) -> None:
    operator = person(Role.OPERATOR)
    page = operator.looks()
    (number,) = numbers(page)

    shown = plain(operator.looks("allow_blocked", number))
    led = operator.acts("allow_blocked", number, **GIVEN)
    again = operator.acts("allow_blocked", number, **GIVEN)

    assert "An administrator can allow it" in page
    assert "contact" in shown
    assert MAIL not in shown
    assert (led.status_code, again.status_code) == (303, 303)
    (one,) = PolicyException.objects.all()
    assert one.actor_label == "operator"
    assert made(store.write("contact", MAIL))["exceptions"] == [one.id]
    listed = operator.looks()
    assert "Our own helpdesk." in listed
    assert numbers(listed) == []
    assert "passes until" in plain(listed)
    assert row_heads(listed)[-1] == "policy:block_pii"
    ended = operator.acts("end_exception", one.id)
    assert ended.status_code == 303
    assert numbers(operator.looks()) == [number]
    assert "passes until" not in plain(operator.looks())
    assert not made(store.write("elsewhere", MAIL))["allowed"]
    assert (
        "End it" not in operator.looks().split("<h2>Exceptions")[1].split("<tbody")[1]
    )


def test_only_an_administrator_allows_a_secret(person: Any, store: Store) -> None:
    admin = person(Role.ADMIN)
    secret, mail = numbers(admin.looks())
    operator = person(Role.OPERATOR)

    refused = operator.acts("allow_blocked", secret, **GIVEN)

    assert refused.status_code == 403
    assert "for administrators" in operator.looks("allow_blocked", secret)
    assert numbers(operator.looks()) == [mail]
    again = signed_in(operator.browser, the_admin())
    led = again.post(admin.at("allow_blocked", secret), GIVEN, headers=HTML)
    assert led.status_code == 303
    assert made(store.write("login", PASSWORD))["allowed"]


def test_a_viewer_sees_and_allows_nothing(person: Any, store: Store) -> None:
    viewer = person(Role.VIEWER)
    page = viewer.looks()
    record = first_blocked(store)

    assert numbers(page) == []
    assert viewer.acts("allow_blocked", record, **GIVEN).status_code == 403
    assert viewer.acts("end_exception", "exc_1").status_code == 403
    assert not PolicyException.objects.exists()


def test_a_whole_prefix_is_allowed_and_what_is_wrong_is_said_in_place(
    person: Any, store: Store
) -> None:
    operator = person(Role.OPERATOR)
    (number,) = numbers(operator.looks())

    for wrong in ({"days": "91"}, {"reason": ""}, {"covers": "prefix"}):
        refused = operator.acts("allow_blocked", number, **GIVEN | wrong)
        assert refused.status_code == 400
        assert "Allow it" in refused.content.decode()
    led = operator.acts(
        "allow_blocked", number, **GIVEN | {"covers": "prefix", "begins": "import:"}
    )

    assert led.status_code == 303
    assert made(store.write("import:1", MAIL))["allowed"]
    assert not made(store.write("contact", MAIL))["allowed"]
    assert "keys that begin with import:" in plain(operator.looks())


def test_what_was_not_blocked_so_has_no_page(person: Any, store: Store) -> None:
    operator = person(Role.OPERATOR)

    for number in (1, 10**9):
        answer = operator.browser.get(operator.at("allow_blocked", number))
        assert answer.status_code == 404
    assert operator.acts("end_exception", "exc_nothing").status_code == 404


def the_admin() -> User:
    return User.objects.get(username=Role.ADMIN.value)


def first_blocked(store: Store) -> int:
    return AuditRecord.objects.filter(result="blocked").order_by("number")[0].number


def test_several_blocked_texts_of_one_write_are_all_shown(
    person: Any, store: Store
) -> None:
    answer = made(
        store.write(
            "profile",
            f"{MAIL} and bob@example.org, IBAN DE89370400440532013000",
            metadata={"note": PASSWORD, "mail": MAIL},
        )
    )

    page = plain(person(Role.VIEWER).looks())

    kinds = [(one["kind"], one["place"]) for one in answer["also"]]
    assert (answer["kind"], answer["place"]) == ("email", "value")
    assert set(kinds) == {
        *(("email", "value"), ("iban", "value")),
        *(("password", "metadata"), ("email", "metadata")),
    }
    assert "4 more in the same write" in page
    assert "iban in the value" in page
    assert "password in the metadata, policy:block_secrets" in page
    for text in (MAIL, "bob@", "DE89", "Sup3r"):
        assert text not in page


def test_of_what_one_write_holds_so_much_is_named(store: Store) -> None:
    many = ", ".join(f"{'a' * size}@example.com" for size in range(2, 30))

    answer = made(store.write("many", many))

    assert len(answer["also"]) == 9
    assert made(store.write("contact", MAIL))["also"] == []
