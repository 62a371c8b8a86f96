"""One idempotency key is one act, and two at once make one agent."""

import threading

import pytest
from django.db import connection

from apps.agents.models import Agent
from apps.audit.models import Event


def test_the_same_request_again_is_answered_from_the_record(api):
    client, told = api(), {"name": "n", "metadata": {"k": 1}}

    first = client.post("/v1/agents", told, Idempotency_Key="k1")
    again = client.post("/v1/agents", told, Idempotency_Key="k1")

    assert (first.status, again.status) == (201, 201)
    assert again.content == first.content
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert Agent.objects.count() == 1


def test_a_replayed_update_answers_what_was_stored_then(api):
    client = api()
    client.post("/v1/agents", {"external_id": "a"})

    first = client.patch("/v1/agents/a", {"name": "one"}, Idempotency_Key="k1")
    client.patch("/v1/agents/a", {"name": "two"})
    again = client.patch("/v1/agents/a", {"name": "one"}, Idempotency_Key="k1")

    assert again.content == first.content
    assert client.get("/v1/agents/a").body["name"] == "two"


def test_a_replayed_suspension_does_not_suspend_again(api):
    client = api()
    client.post("/v1/agents", {"external_id": "a"})

    client.post("/v1/agents/a/suspend", Idempotency_Key="k1")
    client.post("/v1/agents/a/activate")
    again = client.post("/v1/agents/a/suspend", Idempotency_Key="k1")

    assert again.headers["Idempotent-Replayed"] == "true"
    assert client.get("/v1/agents/a").body["status"] == "active"


def test_the_key_with_another_body_or_path_is_refused(api):
    client = api()
    client.post("/v1/agents", {"external_id": "a"}, Idempotency_Key="k1")

    other_body = client.post("/v1/agents", {"external_id": "b"}, Idempotency_Key="k1")
    other_path = client.post("/v1/agents/a/suspend", Idempotency_Key="k1")

    for answer in (other_body, other_path):
        assert (answer.status, answer.code) == (422, "idempotency_key_reused")
    assert Agent.objects.get().status == "active"


def test_a_request_that_failed_may_be_repaired_under_its_key(api):
    client = api()
    client.post("/v1/agents", {"external_id": "a", "tags": 5}, Idempotency_Key="k1")
    client.patch("/v1/agents/b", {"name": "n"}, Idempotency_Key="k2")

    assert client.post("/v1/agents", {"external_id": "a"}, Idempotency_Key="k1").status
    assert client.patch("/v1/agents/a", {"name": "n"}, Idempotency_Key="k2").body


def test_an_unfit_key_is_refused(api):
    answer = api().post("/v1/agents", {"name": "n"}, Idempotency_Key="x" * 256)

    assert (answer.status, answer.param) == (400, "Idempotency-Key")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("headers", "statuses"),
    [({}, [201, 409, 409, 409]), ({"Idempotency_Key": "k"}, [201, 201, 201, 201])],
)
def test_creates_at_once_make_one_agent(api, headers, statuses):
    clients, answers, barrier = [api() for _ in range(4)], [], threading.Barrier(4)

    def create(client):
        try:
            barrier.wait(5)
            answers.append(client.post("/v1/agents", {"external_id": "a"}, **headers))
        finally:
            connection.close()

    threads = [threading.Thread(target=create, args=[client]) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answer.status for answer in answers) == statuses
    assert Agent.objects.count() == 1
    assert Event.objects.filter(action="agent.created").count() == 1


@pytest.mark.django_db(transaction=True)
def test_updates_at_once_lose_no_metadata(api):
    clients, barrier = [api() for _ in range(4)], threading.Barrier(4)
    clients[0].post("/v1/agents", {"external_id": "a"})

    def update(number):
        try:
            barrier.wait(5)
            clients[number].patch("/v1/agents/a", {"metadata": {str(number): number}})
        finally:
            connection.close()

    threads = [threading.Thread(target=update, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    stored = clients[0].get("/v1/agents/a").body["metadata"]
    assert stored == {"0": 0, "1": 1, "2": 2, "3": 3}
