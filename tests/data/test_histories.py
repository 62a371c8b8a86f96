"""Any order of requests, against a plain dict: values and lists at any version."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit.streams import Operation
from apps.core import json
from apps.timeline.operations import Document, Restoration, Told, restore_document
from apps.timeline.verification import findings
from tests.acts import act_in
from tests.conftest import Api
from tests.data.conftest import Store, made

pytestmark = pytest.mark.django_db

KEYS = st.sampled_from(["a", "a/b", "a:1", "a:2", "b", "é:1", "\U0001f600"])
VALUES = st.text(alphabet="xy\0<é", max_size=3)
ENTRIES = st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=4)
PREFIXES = st.sampled_from(["a", "a:", "é", "c"])
ACTS = st.one_of(
    st.tuples(st.just("write"), KEYS, VALUES),
    st.tuples(st.just("batch"), ENTRIES),
    st.tuples(st.just("delete"), KEYS),
    st.tuples(st.just("delete_prefix"), PREFIXES),
    st.tuples(st.just("configure"), st.integers(0, 3)),
    st.tuples(st.just("roll_back"), st.floats(0, 1)),
    st.tuples(st.just("checkpoint"), st.integers(0, 2)),
    st.tuples(
        st.just("restore_checkpoint"), st.floats(0, 1), st.booleans(), st.booleans()
    ),
    st.tuples(st.just("restore"), st.floats(0, 1), st.booleans(), st.booleans()),
)
_NAMES = count()
Config = int | None


class History:
    """An agent's data over the API, and the dict that it is held against."""

    def __init__(self, client: Api, project: Project) -> None:
        name = f"agent-{next(_NAMES)}"
        agent = made(client.post("/v1/agents", {"name": "n", "external_id": name}))
        self.store = Store(client, name)
        self.project = project
        self.document = Document.of_agent(project, Agent.objects.get(id=agent["id"]).id)
        self.data: dict[str, str] = {}
        # By the number of the document's version: data, and the config.
        self.kept: list[tuple[dict[str, str], Config]] = [({}, None)]
        # By the number of the config's version, v0 first.
        self.configs: list[Config] = [None]
        # Checkpoints with data and config as they stood.
        self.checkpoints: list[tuple[Any, dict[str, str], Config]] = []
        self.last: Any = None

    @property
    def config(self) -> Config:
        return self.configs[-1]

    def keep(self) -> None:
        self.kept.append((dict(self.data), self.config))

    def write(self, key: str, value: str) -> None:
        made(self.store.write(key, value))
        self.set(("write", key, value), [(key, value)])

    def batch(self, entries: list[tuple[str, str]]) -> None:
        body = made(
            self.store.batch([{"key": key, "value": text} for key, text in entries])
        )
        assert body["summary"]["allowed"] == len(entries)
        self.set(("batch", *entries), entries)

    def set(self, act: Any, entries: list[tuple[str, str]]) -> None:
        # The very last act once more is that act.
        if self.last == act:
            return
        for key, value in entries:
            self.data[key] = value
            self.keep()
        self.last = act

    def delete(self, key: str) -> None:
        answer = self.store.client.send("DELETE", f"{self.store.path}/data/{key}")
        if key in self.data:
            assert made(answer)["deleted"] == 1
            del self.data[key]
            self.keep()
            self.last = ("delete", key)
        elif self.last != ("delete", key):
            assert answer.code == "key_not_found"

    def delete_prefix(self, prefix: str) -> None:
        gone = [key for key in self.data if key.startswith(prefix)]
        found = made(self.store.delete_prefix(prefix))["deleted"]
        if gone:
            assert found == len(gone)
            for key in gone:
                del self.data[key]
            self.keep()
            self.last = ("delete_prefix", prefix)
        elif self.last != ("delete_prefix", prefix):
            assert found == 0

    def configure(self, number: int) -> None:
        body = made(self.store.configure({"n": number}))
        if number != self.config:
            self.configs.append(number)
            self.keep()
            self.last = None
        assert body["version"] == f"v{len(self.configs) - 1}"
        assert body["config"] == {"n": number}

    def roll_back(self, place: float) -> None:
        target = round(place * (len(self.configs) - 1))
        wanted = self.configs[target]
        before = made(self.store.config())["version"]
        body = made(self.store.roll_back(f"v{target}"))
        assert body["config"] == shown(wanted)
        # To what stands already is no version.
        if body["version"] != before:
            self.configs.append(wanted)
            self.keep()
            self.last = None
        assert body["version"] == f"v{len(self.configs) - 1}"

    def checkpoint(self, name: int) -> None:
        made_now = made(self.store.checkpoint(f"step {name}"))
        assert made_now["key_count"] == len(self.data)
        sizes = [len(value.encode()) for value in self.data.values()]
        assert made_now["total_size_bytes"] == sum(sizes)
        assert made_now["number"] == len(self.kept) - 1
        assert made_now["config_version"] == f"v{len(self.configs) - 1}"
        self.checkpoints.append((made_now, dict(self.data), self.config))

    def restore_checkpoint(self, place: float, is_config: bool, is_data: bool) -> None:
        if not self.checkpoints or not (is_config or is_data):
            return
        (checkpoint, data, config) = self.checkpoints[
            round(place * (len(self.checkpoints) - 1))
        ]
        parts = {"restore_config": is_config, "restore_data": is_data}
        preview = made(self.store.restore(checkpoint, dry_run=True, **parts))
        restored = made(self.store.restore(checkpoint, **parts))
        assert restored["verified"] is True
        assert preview["number"] == len(self.kept) - 1
        changed = {key for key in data if self.data.get(key) != data[key]}
        removed = set(self.data) - set(data)
        act = ("restore_checkpoint", checkpoint["id"], is_config, is_data)
        # The very last act once more is that act, and gets its counts again.
        if self.last == act:
            return
        assert restored["data_keys_restored"] == (len(data) if is_data else 0)
        assert restored["data_keys_removed"] == (len(removed) if is_data else 0)
        told = preview["data"]
        assert told["set"]["count"] == restored["data_keys_changed"]
        assert told["removed"]["count"] == restored["data_keys_removed"]
        if is_data:
            # An equal value that was written anew is set again as well.
            assert changed <= set(told["set"]["keys"]) <= set(data)
            assert set(told["removed"]["keys"]) == removed
            self.data = dict(data)
        if restored["config_changed"]:
            self.configs.append(config)
        if is_config:
            assert self.config == config
        assert restored["config_version"] == f"v{len(self.configs) - 1}"
        self.keep()
        self.last = act

    def assert_compared(self) -> None:
        """Hold the comparison of each two checkpoints against their dicts."""
        for (first, before, _), (second, after, _) in product(
            self.checkpoints[:3], self.checkpoints[-3:]
        ):
            found = made(self.store.compare(first, second))
            changed = {
                key for key in before.keys() & after if before[key] != after[key]
            }
            assert set(found["added"]) == after.keys() - before.keys()
            assert set(found["removed"]) == before.keys() - after.keys()
            assert changed <= set(found["changed"]) <= before.keys() & after.keys()

    def restore(self, place: float, is_config: bool, is_data: bool) -> None:
        if not (is_config or is_data):
            return
        target = round(place * (len(self.kept) - 1))
        (data, config) = self.kept[target]
        told = Told(
            operation=Operation.CHECKPOINT_RESTORE,
            resource_type="checkpoint",
            resource_id="",
        )
        if len(self.kept) == 1:
            return
        restored = restore_document(
            act=act_in(self.project, digest=json.dumps(next(_NAMES))),
            document=self.document,
            wanted=Restoration(target=target, config=is_config, data=is_data),
            told=told,
        )
        self.data = dict(data) if is_data else self.data
        if restored.is_config_changed:
            self.configs.append(config)
        self.keep()
        self.last = None


def shown(config: Config) -> dict[str, int]:
    return {} if config is None else {"n": config}


@given(acts=st.lists(ACTS, max_size=10))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_holds_what_a_dict_would(
    api: Callable[[], Api], project: Project, acts: list[Any]
) -> None:
    history = History(api(), project)
    store = history.store
    for name, *given_to in acts:
        getattr(history, name)(*given_to)
        body = made(store.listed(full="true"))
        assert {one["key"]: one["value"] for one in body["data"]} == history.data
        assert body["total"] == len(history.data)
        assert made(store.config())["config"] == shown(history.config)
    for number, (data, _) in enumerate(history.kept):
        body = made(store.listed(full="true", at=number, limit=1000))
        assert {one["key"]: one["value"] for one in body["data"]} == data
        assert [one["key"] for one in body["data"]] == sorted(
            data, key=lambda key: key.encode()
        )
    history.assert_compared()
    for ordinal, config in enumerate(history.configs):
        path = f"{store.path}/config/versions/v{ordinal}"
        assert made(store.client.get(path))["config"] == shown(config)
    if len(history.kept) > 1:
        assert [str(one) for one in findings(history.document.id)] == []
