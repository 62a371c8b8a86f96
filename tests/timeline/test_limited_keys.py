"""A key limited to some agents learns nothing of the others, by replays neither."""

from typing import Any

import pytest

from apps.accounts.models import Project
from tests.conftest import Api
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def limited(api: Clients, make_key: Keys) -> Api:
    """A client for the agent `billing`; runs are of `travel`."""
    return api(make_key(agents=["billing"]))


@pytest.mark.parametrize("state", [{"a": 1}, {"a": 2}])
def test_it_cannot_tell_which_keys_a_session_has_seen(
    run: Run, limited: Api, state: Any
) -> None:
    run.client.patch(run.path("state"), {"state": {"a": 1}}, Idempotency_Key="k")

    answer = limited.patch(run.path("state"), {"state": state}, Idempotency_Key="k")

    assert_refused(answer, 404, "session_not_found")


@pytest.mark.parametrize("state", [{"a": 1}, {"a": 2}])
def test_another_project_cannot_tell_which_keys_a_session_has_seen(
    run: Run, api: Clients, make_key: Keys, other_project: Project, state: Any
) -> None:
    run.client.patch(run.path("state"), {"state": {"a": 1}}, Idempotency_Key="k")
    stranger = api(make_key(project=other_project))

    answer = stranger.patch(run.path("state"), {"state": state}, Idempotency_Key="k")

    assert_refused(answer, 404, "session_not_found")


def test_it_cannot_tell_that_a_session_was_deleted(run: Run, limited: Api) -> None:
    run.client.delete(run.path(), Idempotency_Key="k")

    answer = limited.delete(run.path(), Idempotency_Key="k")

    assert_refused(answer, 404, "session_not_found")


def test_a_name_that_another_agent_took_is_taken_and_no_more_is_said(
    begin: Begin, limited: Api
) -> None:
    begin(external_id="order-1")

    answer = limited.post(
        "/v1/sessions", {"agent_id": "billing", "external_id": "order-1"}
    )

    assert_refused(answer, 409, "external_id_taken", "external_id")
    assert "session_id" not in answer.body["error"]
