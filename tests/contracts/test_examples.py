"""What the documentation page fills in can be sent as it stands."""

from typing import Any

import pytest

from apps.timeline.api import examples
from tests.conftest import Api

pytestmark = pytest.mark.django_db
TARGETS = [
    ("PATCH", "", "METADATA"),
    ("PATCH", "/state", "UPDATE"),
    ("PUT", "/state", "REPLACE"),
    ("POST", "/revert", "REVERT"),
    ("POST", "/restore", "RESTORE"),
    ("POST", "/state", "REPLACE"),
    ("PATCH", "/tasks/flight", "TASK"),
    ("POST", "/facts/check", "FACTS"),
    ("POST", "/state/rollback", "ROLLBACK"),
    ("POST", "/undo", "UNDO"),
    ("POST", "/fork", "FORK"),
    ("POST", "/turns", "TURN"),
    ("POST", "/context", "CONTEXT"),
    ("POST", "/bisect", "BISECT"),
    ("POST", "/bundle", "BUNDLE"),
    ("POST", "/versions", "BATCH"),
    ("POST", "/versions/0/labels", "LABEL"),
    ("POST", "/notes", "NOTE"),
    ("POST", "/summaries", "SUMMARY"),
    ("POST", "/effects", "EFFECT"),
    ("POST", "/results/forget", "FORGET"),
    ("PUT", "/review", "REVIEW"),
    ("PUT", "/score", "SCORE"),
    ("POST", "/writes", "WRITES"),
    ("POST", "/hidden", "HIDE"),
    ("POST", "/handoffs", "HAND_OFF"),
    ("POST", "/pause", "HOLD"),
    ("POST", "/resume", "HOLD"),
    ("POST", "/close", "HOLD"),
]


def value(name: str) -> Any:
    return getattr(examples, name)[0].value


def promote(client: Api, path: str, fork_id: str) -> None:
    """Send what names a fork, of which only a world knows the id."""
    head = client.get(f"{path}/state").body["version"]
    client.patch(f"/v1/sessions/{fork_id}/state", {"state": {"fixed": True}})
    known = {"fork": fork_id, "expected_version": head}
    assert client.post(f"{path}/promote", value("PROMOTE") | known).status == 200


def test_every_example_is_accepted(api: Any) -> None:
    client: Api = api()
    begun = client.post("/v1/sessions", value("CREATE"))
    assert begun.status == 201
    path = f"/v1/sessions/{begun.body['id']}"

    for method, rest, name in TARGETS:
        answer = client.send(method, path + rest, value(name))

        assert answer.status in (200, 201), (method, rest, answer.content)
        if name == "FORK":
            promote(client, path, answer.body["id"])
        if name == "EFFECT":
            effect = f"{path}/effects/{answer.body['id']}"
            assert client.post(f"{effect}/finish", value("FINISH")).status == 200
            assert client.post(f"{path}/rollback", {"version": 0}).status == 200
            owed = client.post(f"{effect}/compensation", value("COMPENSATION"))
            assert owed.status == 200


def test_every_example_is_tried() -> None:
    named = {name for name in vars(examples) if name.isupper()}

    assert named == {name for _, _, name in TARGETS} | {
        "CREATE",
        "FINISH",
        "COMPENSATION",
        "PROMOTE",
    }
