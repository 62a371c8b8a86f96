"""Versions as a checkpointer sees them: named, with its bytes and pending writes."""

import base64
import uuid
from typing import Any

import pytest

from apps.audit.models import Event
from apps.timeline.models import PendingWrite

pytestmark = pytest.mark.django_db

RAW = bytes(range(256)) * 5


def part(data: bytes = RAW) -> dict[str, Any]:
    text = base64.b64encode(data).decode()
    return {"mine": {"media_type": "application/x-mine", "base64": text}}


def write(index: int = 0, data: bytes = b"v", channel: str = "ch") -> dict[str, Any]:
    text = base64.b64encode(data).decode()
    return {"index": index, "channel": channel, "type": "msgpack", "base64": text}


@pytest.fixture
def client(api):
    return api()


@pytest.fixture
def path(client):
    """A session whose versions 1 to 3 are the checkpoints a, b and c."""
    begun = client.post("/v1/sessions", {"agent_id": "graph", "initial_state": {}})
    path = f"/v1/sessions/{begun.body['id']}"
    for number, name in enumerate("abc", 1):
        body = {
            "state": {"n": number},
            "external_id": name,
            "opaque": part(b"%d" % number),
        }
        assert client.put(f"{path}/state", body).status == 200
    return path


@pytest.fixture
def listed(client, path):
    def ask(**query: Any) -> list[dict[str, Any]]:
        answer = client.get(f"{path}/checkpoints", query)
        assert answer.status == 200, answer.content
        return answer.body["data"]

    return ask


def names(found: list[dict[str, Any]]) -> list[str]:
    return [one["checkpoint_id"] for one in found]


def test_opaque_bytes_come_back_as_they_were(client, path) -> None:
    client.put(f"{path}/state", {"state": {}, "opaque": part()})

    for address in (f"{path}/checkpoint", f"{path}/checkpoint?version=4"):
        assert client.get(address).body["opaque"] == part()


def test_opaque_parts_are_carried_over_rolled_back_and_forked(client, path) -> None:
    merged = client.patch(f"{path}/state", {"state": {"m": 1}})
    client.post(f"{path}/rollback", {"version": 1})
    fork = client.post(f"{path}/fork", {"version": 2})

    def opaque(address: str) -> Any:
        return client.get(address).body["opaque"]

    assert opaque(f"{path}/checkpoint?version={merged.body['version']}") == part(b"3")
    assert opaque(f"{path}/checkpoint") == part(b"1")
    assert opaque(f"/v1/sessions/{fork.body['id']}/checkpoint") == part(b"2")


@pytest.mark.parametrize(
    "opaque",
    [
        {"state": part()["mine"]},
        {"messages": part()["mine"]},
        {"Not a name": part()["mine"]},
        {"mine": "text"},
        {"mine": {"base64": "AA=="}},
        {"mine": {"media_type": "a/b"}},
        {"mine": {"media_type": "a/b", "base64": "no base64!"}},
        {"mine": {"media_type": "ä", "base64": "AA=="}},
        {f"p{number}": part()["mine"] for number in range(17)},
        [],
    ],
)
def test_what_is_no_opaque_part_is_refused_and_nothing_stored(
    client, path, opaque: Any
) -> None:
    answer = client.put(f"{path}/state", {"state": {}, "opaque": opaque})

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert client.get(f"{path}/state").body["version"] == 3


def test_checkpoints_are_listed_newest_first_page_by_page(listed) -> None:
    first = listed(limit=2)

    assert names(first) == ["c", "b"]
    assert first[0]["opaque"] == part(b"3")
    assert names(listed(limit=2, starting_after=first[-1]["version"]))[0] == "a"
    assert names(listed(checkpoint_id="b")) == ["b"]
    assert listed(checkpoint_id="never") == []
    assert "state" not in first[0]
    assert listed(limit=1, include_state="true")[0]["state"] == {"n": 3}


@pytest.mark.parametrize("name", ["include_merges", "include_state"])
@pytest.mark.parametrize("asked", ["", "checkpoint_id=b&"])
def test_a_parameter_that_cannot_be_is_refused_also_where_it_says_nothing(
    client, path, asked: str, name: str
) -> None:
    answer = client.get(f"{path}/checkpoints?{asked}{name}=perhaps")

    assert (answer.status, answer.param) == (400, name)


def test_a_rollback_by_somebody_else_has_a_name_that_leads_to_it(
    client, path, listed
) -> None:
    client.post(f"{path}/rollback", {"version": 1})

    head = listed(limit=1)[0]

    made = uuid.UUID(head["checkpoint_id"])
    assert (made.version, made.node, head["version"]) == (6, 4, 4)
    assert head["restored_version"] == 1
    assert listed(checkpoint_id=head["checkpoint_id"]) == [head]
    other = str(uuid.UUID(int=made.int + (1 << 100)))
    assert listed(checkpoint_id=other) == []


def test_holds_and_merges_of_others_carry_the_checkpoint_on(
    client, path, listed
) -> None:
    client.post(f"{path}/pause")
    client.post(f"{path}/resume")
    client.patch(f"{path}/state", {"state": {"by": "somebody"}})

    assert names(listed(limit=1)) == ["c"]


def test_writes_stand_beside_their_checkpoint_in_the_order_of_tasks(
    client, path, listed
) -> None:
    for task, task_path in (("t2", "1"), ("t1", "2"), ("t3", "1")):
        body = {
            "checkpoint_id": "c",
            "task_id": task,
            "task_path": task_path,
            "writes": [write(1, b"b"), write(0, b"a")],
        }
        assert client.post(f"{path}/writes", body).body["count"] == 2

    found = listed(checkpoint_id="c")[0]["writes"]

    assert [(one["task_id"], one["index"]) for one in found] == [
        ("t2", 0), ("t2", 1), ("t3", 0), ("t3", 1), ("t1", 0), ("t1", 1)
    ]  # fmt: skip
    assert found[0] == {"task_id": "t2", "task_path": "1", **write(0, b"a")}
    assert listed(checkpoint_id="b")[0]["writes"] == []


def test_writes_may_come_before_their_checkpoint(client, path, listed) -> None:
    body = {"checkpoint_id": "d", "task_id": "t", "writes": [write()]}
    client.post(f"{path}/writes", body)

    client.put(f"{path}/state", {"state": {}, "external_id": "d"})

    assert listed(checkpoint_id="d")[0]["writes"] == [
        {"task_id": "t", "task_path": "", **write()}
    ]


def test_the_first_write_of_an_index_stays_unless_it_is_to_be_replaced(
    client, path, listed
) -> None:
    def send(data: bytes, replace: bool) -> int:
        body = {
            "checkpoint_id": "c",
            "task_id": "t",
            "replace": replace,
            "writes": [write(-4, data)],
        }
        return client.post(f"{path}/writes", body).body["count"]

    def shown() -> str:
        (one,) = listed(checkpoint_id="c")[0]["writes"]
        return one["base64"]

    assert [send(b"first", False), send(b"second", False)] == [1, 0]
    assert shown() == write(data=b"first")["base64"]
    assert [send(b"third", True), send(b"third", True)] == [1, 0]
    assert shown() == write(data=b"third")["base64"]
    assert PendingWrite.objects.count() == 2


@pytest.mark.parametrize(
    ("field", "value", "param"),
    [
        ("writes", [write(), write()], "writes"),
        ("writes", [{**write(), "base64": "!"}], "writes[0].base64"),
        ("writes", [{**write(), "index": "0"}], "writes[0].index"),
        ("writes", [7], "writes[0]"),
        ("writes", [write(channel="x" * 1001)], "channel"),
        ("writes", [write(index) for index in range(1001)], "writes"),
        ("task_id", "x" * 256, "task_id"),
        ("task_id", "a\x00b", "task_id"),
        ("checkpoint_id", "", "checkpoint_id"),
    ],
)
def test_writes_that_are_none_are_refused(
    client, path, field: str, value: Any, param: str
) -> None:
    body = {"checkpoint_id": "c", "task_id": "t", "writes": [write()], field: value}

    answer = client.post(f"{path}/writes", body)

    assert (answer.status, answer.code, answer.param) == (400, "invalid_request", param)
    assert not PendingWrite.objects.exists()


def test_a_held_session_takes_no_writes(client, path) -> None:
    body = {"checkpoint_id": "c", "task_id": "t", "writes": [write()]}
    client.post(f"{path}/pause")
    assert client.post(f"{path}/writes", body).code == "session_paused"

    client.post(f"{path}/resume")
    client.post("/v1/agents/graph/suspend")
    assert client.post(f"{path}/writes", body).code == "agent_suspended"

    client.post("/v1/agents/graph/activate")
    client.post(f"{path}/close")
    assert client.post(f"{path}/writes", body).code == "session_closed"
    assert not PendingWrite.objects.exists()


def test_what_was_written_is_in_no_record(client, path) -> None:
    secret = b"secret-of-the-user"
    body = {"checkpoint_id": "c", "task_id": "t", "writes": [write(data=secret)]}
    client.post(f"{path}/writes", body)

    event = Event.objects.filter(action="writes.added").get()

    assert event.details == {"count": 1}


def test_hidden_versions_are_gone_for_the_checkpointer_alone(
    client, path, listed
) -> None:
    hidden = {"first_version": 0, "last_version": 2}
    answer = client.post(f"{path}/hidden", hidden)
    again = client.post(f"{path}/hidden", hidden)

    assert (answer.status, again.status) == (201, 201)
    assert names(listed()) == ["c"]
    assert listed(checkpoint_id="b") == []
    versions = client.get(f"{path}/versions").body["data"]
    assert [one["version"] for one in versions] == [3, 2, 1, 0]
    assert client.get(f"{path}/verify").body["valid"]
    assert Event.objects.filter(action="versions.hidden").count() == 1


@pytest.mark.parametrize(("first", "last"), [(2, 1), (0, 4), (4, 4)])
def test_only_versions_that_there_are_can_be_hidden(
    client, path, first: int, last: int
) -> None:
    answer = client.post(
        f"{path}/hidden", {"first_version": first, "last_version": last}
    )

    assert (answer.status, answer.param) == (400, "first_version")


def test_strangers_and_readers_change_nothing(api, make_key, other_project, path):
    writes = {"checkpoint_id": "c", "task_id": "t", "writes": [write()]}
    hidden = {"first_version": 0, "last_version": 1}
    stranger, reader = api(make_key(project=other_project)), api(make_key("read"))

    for address, body in (("writes", writes), ("hidden", hidden)):
        assert stranger.post(f"{path}/{address}", body).code == "session_not_found"
        assert reader.post(f"{path}/{address}", body).code == "permission_denied"
        assert api(None).post(f"{path}/{address}", body).status == 401
    assert stranger.get(f"{path}/checkpoints").code == "session_not_found"
    assert len(reader.get(f"{path}/checkpoints").body["data"]) == 4
