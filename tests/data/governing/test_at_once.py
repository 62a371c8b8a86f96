"""Exceptions while others write, end and make them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from apps.accounts.models import Project, Scope
from apps.agents.models import Agent
from apps.data.documents import deciding
from apps.data.documents.exceptions import still_stand
from apps.data.models import PolicyException
from apps.data.operations import writing
from apps.timeline.operations import Document
from tests.conftest import Api
from tests.data.conftest import AGENT, Store, made
from tests.data.test_at_once import at_once

pytestmark = pytest.mark.django_db(transaction=True)

MAIL = "ann.planted@example.com"
SAID = {"rule": "policy:block_pii", "prefix": "a", "reason": "Ours."}


@pytest.fixture
def admin(store: Store, api: Any, make_key: Any) -> Store:
    made(store.policies(block_pii=True))
    return store.as_seen_by(api(make_key(Scope.ADMIN)))


def allow(store: Store, **more: Any) -> Any:
    return store.client.post(f"{store.path}/exceptions", SAID | more)


def end(store: Store, exception: dict[str, Any]) -> Any:
    return store.client.delete(f"{store.path}/exceptions/{exception['id']}")


def test_what_is_ended_while_a_write_is_checked_lets_it_pass_no_more(
    store: Store, admin: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    exception = made(allow(admin))

    def decide(*given: Any, **named: Any) -> Any:
        decisions = deciding.decide(*given, **named)
        made(end(admin, exception))
        return decisions

    monkeypatch.setattr(writing, "decide", decide)

    assert made(store.write("a", MAIL))["allowed"] is False
    assert store.keys() == []


def test_a_write_that_needs_one_holds_it_until_it_is_in(
    store: Store, admin: Store, project: Project
) -> None:
    exception = made(allow(admin))
    agent = Agent.objects.get(external_id=AGENT)
    document = Document.of_agent(project, agent.id)

    def locked() -> str:
        mine = PolicyException.objects.select_for_update(no_key=True, nowait=True)
        try:
            with transaction.atomic():
                return str(mine.get(id=exception["id"]).id)
        except OperationalError:
            return "held"

    with transaction.atomic():
        assert still_stand(document, [exception["id"]], now=timezone.now())
        assert at_once([locked]) == ["held"]
    assert at_once([locked]) == [exception["id"]]
    connection.close()


def test_of_those_who_make_one_for_the_same_one_does(
    admin: Store, api: Callable[..., Api], make_key: Any
) -> None:
    admins = [admin.as_seen_by(api(make_key(Scope.ADMIN))) for _ in range(6)]

    def create(one: Store) -> Callable[[], Any]:
        return lambda: allow(one).status

    found = at_once([create(one) for one in admins])

    assert Counter(found) == {200: 1, 409: 5}
    assert PolicyException.objects.count() == 1
