"""Any order of requests, against a plain dict: values and lists at any version.

The clock goes on in them, so values expire, and restores go by steps or do not. What
nobody has to see is emptied or pruned in between: that alone is not there afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime, timedelta
from itertools import count, product
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.models import AuditRecord
from apps.audit.streams import Operation
from apps.core import json
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.data import operations as data_operations
from apps.data.operations import restoring
from apps.data.operations.keeping import stepping
from apps.timeline import queries
from apps.timeline.errors import ContentsErased, VersionPruned
from apps.timeline.models import Entry, Version
from apps.timeline.operations import (
    Document,
    Restoration,
    Told,
    empty_entries,
    prune_entries,
    restore_document,
)
from apps.timeline.verification import findings
from tests.acting import acting_as
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
    st.tuples(st.just("wait"), st.sampled_from([0.4, 1.1])),
    st.tuples(st.just("sweep")),
    st.tuples(st.just("empty"), st.floats(0, 1)),
    st.tuples(st.just("prune"), st.floats(0, 1)),
)
# Something of each is emptied, and something is wanted that was.
EMPTIED = [
    *(("write", "a", "x"), ("write", "a", "y"), ("checkpoint", 0)),
    *(("write", "a", "xx"), ("write", "b", "x"), ("delete", "b"), ("write", "a", "z")),
    *(("empty", 1.0), ("restore", 0.2, False, True)),
    *(("restore_checkpoint", 0.0, True, True), ("restore", 0.5, False, True)),
    *(("write", "a", "yy"), ("empty", 1.0)),
]
# As much is pruned, around what a checkpoint and a restore keep, and what goes on from
# it: removals and restores of keys whose versions went, and their keys anew.
PRUNED = [
    *(("batch", [("a", "x"), ("a:1", "x"), ("b", "x")]), ("write", "a", "y")),
    *(("checkpoint", 0), ("write", "a", "xx"), ("write", "b", "y"), ("delete", "b")),
    *(("write", "a", "z"), ("prune", 1.0), ("delete_prefix", "a")),
    *(("restore_checkpoint", 0.0, True, True), ("write", "a", "yy")),
    *(("restore_checkpoint", 0.0, True, True), ("write", "b", "yx"), ("prune", 1.0)),
    *(("restore", 0.3, True, True), ("delete_prefix", "a"), ("write", "b", "xx")),
    *(("empty", 1.0), ("prune", 1.0), ("write", "a:1", "xx"), ("prune", 1.0)),
]
# Under this config values of some keys expire after a day.
BRIEF, BRIEFLY = 3, "a:"
DAY = timedelta(days=1)
_NAMES = count()
Config = int | None
# A value, when it expires, and the version that set it.
Held = tuple[str, datetime | None, int]
# Longer than an act that is sent again is that act.
LATER = 0.1


class History:
    """An agent's data over the API, and the dict that it is held against."""

    def __init__(
        self, client: Api, project: Project, patch: pytest.MonkeyPatch
    ) -> None:
        self.now = timezone.now()
        patch.setattr(timezone, "now", lambda: self.now)
        name = f"agent-{next(_NAMES)}"
        agent = made(client.post("/v1/agents", {"name": "n", "external_id": name}))
        self.store = Store(client, name)
        self.project = project
        self.document = Document.of_agent(project, Agent.objects.get(id=agent["id"]).id)
        self.held: dict[str, Held] = {}
        # By the number of the document's version: data, and the config; None between
        # the steps of a restore.
        self.kept: list[tuple[dict[str, Held], Config] | None] = [({}, None)]
        # By the number of the config's version, v0 first.
        self.configs: list[Config] = [None]
        # Checkpoints with data and config as they stood.
        self.checkpoints: list[tuple[Any, dict[str, Held], Config]] = []
        self.last: Any = None
        # Here and later all is to be seen, whatever was emptied.
        self.shown_from = 0
        # Here and later all is there, whatever was pruned.
        self.whole_from = 0

    @property
    def config(self) -> Config:
        return self.configs[-1]

    @property
    def data(self) -> dict[str, str]:
        return self.seen(self.held)

    def seen(self, held: dict[str, Held]) -> dict[str, str]:
        """Return what is shown of values by now, whenever they stood."""
        return {
            key: value
            for key, (value, end, _) in held.items()
            if end is None or end > self.now
        }

    @property
    def emptied(self) -> set[int]:
        found = Version.objects.filter(session_id=self.document.id, salt=b"")
        return set(found.values_list("number", flat=True))

    @property
    def pruned(self) -> set[int]:
        found = Version.objects.filter(session_id=self.document.id)
        return set(range(len(self.kept))) - set(found.values_list("number", flat=True))

    @property
    def pointed(self) -> set[int]:
        return {checkpoint["number"] for checkpoint, _, _ in self.checkpoints}

    def is_whole(self, number: int) -> bool:
        """Say whether all that stood at a version is to be there."""
        return not 0 < number < self.whole_from or number in self.pointed

    def place(self, place: float) -> int | None:
        """Return a version that is not the newest; None where there is no other."""
        if self.head < 2:
            return None
        self.wait(LATER)
        at = round(place * (self.head - 1))
        return max(n for n in range(at + 1) if self.kept[n] is not None)

    def prune(self, place: float) -> None:
        """Have versions that nobody sees at one, later or at a checkpoint be pruned."""
        at = self.place(place)
        if at is None:
            return
        before, gone = self.pruned, 0
        while taken := self.prune_once(at):
            gone += taken
            self.whole_from = max(self.whole_from, at)
        assert gone == len(self.pruned - before)
        assert all(number < at for number in self.pruned - before)
        needed = {number for number in self.pointed if number <= self.head}
        assert not self.pruned & needed

    def prune_once(self, at: int) -> int:
        with acting_as(Role.RETENTION):
            gone = prune_entries(
                document_id=self.document.id,
                first=0,
                last=at,
                shown_from=at,
                removal_id="rem_2",
                reason="policy",
            )
        assert gone.outcome == "done"
        return gone.versions

    def empty(self, place: float) -> None:
        """Have what nobody sees at a version, later or at a checkpoint be emptied."""
        at = self.place(place)
        if at is None:
            return
        before = self.emptied
        with acting_as(Role.RETENTION):
            gone = empty_entries(
                document_id=self.document.id,
                first=0,
                last=at,
                shown_from=at,
                removal_id="rem_1",
                reason="policy",
            )
        self.shown_from = max(self.shown_from, at)
        later = [kept[0] for kept in self.kept[at:] if kept is not None]
        pointed = [held for _, held, _ in self.checkpoints]
        needed = {n for held in later + pointed for _, _, n in held.values()}
        set_before = {n for kept in self.kept[: at + 1] if kept for n in numbers(kept)}
        assert gone.outcome == "done"
        assert gone.versions == len(self.emptied - before)
        assert set_before - needed <= self.emptied | self.pruned
        assert self.emptied <= set_before

    def keep(self) -> None:
        self.kept.append((dict(self.held), self.config))

    def wait(self, days: float) -> None:
        self.now += days * DAY
        # Who asks again so much later asks for another act.
        self.last = None

    def sweep(self) -> None:
        before, over = self.head, self.held.keys() - self.data
        data_operations.expire_due(actor=SYSTEM, now=self.now)
        swept = Entry.objects.filter(session_id=self.document.id, number__gt=before)
        assert {one.key for one in swept if one.cause == "expired"} == over
        self.held = {key: self.held[key] for key in self.data}
        while len(self.kept) <= self.head:
            self.keep()
            self.last = None

    @property
    def head(self) -> int:
        found = queries.standing(self.document.id, now=self.now)
        return 0 if found is None else found.number

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
            is_brief = self.config == BRIEF and key.startswith(BRIEFLY)
            end = self.now + DAY if is_brief else None
            self.held[key] = (value, end, len(self.kept))
            self.keep()
        self.last = act

    def delete(self, key: str) -> None:
        answer = self.store.client.send("DELETE", f"{self.store.path}/data/{key}")
        if key in self.data:
            assert made(answer)["deleted"] == 1
            del self.held[key]
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
                del self.held[key]
            self.keep()
            self.last = ("delete_prefix", prefix)
        elif self.last != ("delete_prefix", prefix):
            assert found == 0

    def configure(self, number: int) -> None:
        body = made(self.store.configure(shown(number)))
        if number != self.config:
            self.configs.append(number)
            self.keep()
            self.last = None
        assert body["version"] == f"v{len(self.configs) - 1}"
        assert body["config"] == shown(number)

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
        self.checkpoints.append((made_now, dict(self.held), self.config))

    def restore_checkpoint(self, place: float, is_config: bool, is_data: bool) -> None:
        if not self.checkpoints or not (is_config or is_data):
            return
        (checkpoint, held, config) = self.checkpoints[
            round(place * (len(self.checkpoints) - 1))
        ]
        data = self.seen(held)
        parts = {"restore_config": is_config, "restore_data": is_data}
        preview = made(self.store.restore(checkpoint, dry_run=True, **parts))
        restored = made(self.store.restore(checkpoint, **parts))
        assert restored["verified"] is (True if restored["steps"] == 1 else None)
        assert preview["number"] == len(self.kept) - 1
        changed = {key for key in data if self.data.get(key) != data[key]}
        removed = set(self.data) - set(data)
        act = ("restore_checkpoint", checkpoint["id"], is_config, is_data)
        # The very last act once more is that act, and gets its counts again.
        if self.last == act:
            return
        assert restored["data_keys_restored"] == (len(data) if is_data else 0)
        assert restored["data_keys_skipped"] == 0
        told = preview["data"]
        assert told["set"]["count"] == restored["data_keys_changed"]
        assert told["removed"]["count"] == restored["data_keys_removed"]
        assert told["expired"]["count"] == restored["data_keys_expired"]
        if is_data:
            # An equal value that was written anew is set again as well, and what has
            # expired, but was not swept, goes as well.
            assert changed <= set(told["set"]["keys"]) <= set(data)
            assert removed <= set(told["removed"]["keys"]) <= set(self.held) - set(data)
            self.bring_back(held)
        if restored["config_changed"]:
            self.configs.append(config)
        if is_config:
            assert self.config == config
        assert restored["config_version"] == f"v{len(self.configs) - 1}"
        self.kept += [None] * (restored["steps"] - 1)
        self.keep()
        assert restored["number"] == len(self.kept) - 1
        self.last = act

    def bring_back(self, held: dict[str, Held]) -> None:
        """Hold what was held then; what nobody has touched since stays as it is."""
        untouched = {key: one for key, one in self.held.items() if held.get(key) == one}
        self.held = {key: held[key] for key in self.seen(held)} | untouched

    def assert_compared(self) -> None:
        """Hold the comparison of each two checkpoints against their dicts."""
        for (first, held, _), (second, then, _) in product(
            self.checkpoints[:3], self.checkpoints[-3:]
        ):
            before, after = self.seen(held), self.seen(then)
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
        target = max(at for at in range(target + 1) if self.kept[at] is not None)
        (held, config) = self.kept[target] or ({}, None)
        told = Told(
            operation=Operation.CHECKPOINT_RESTORE,
            resource_type="checkpoint",
            resource_id="",
        )
        if len(self.kept) == 1:
            return
        is_lost = is_data and any(
            held[key][2] in self.emptied and self.held.get(key) != held[key]
            for key in self.seen(held)
        )
        is_pruned = is_data and not self.is_whole(target)
        lost = VersionPruned if is_pruned else ContentsErased
        with pytest.raises(lost) if is_pruned or is_lost else nullcontext():
            restored = restore_document(
                act=act_in(self.project, digest=json.dumps(next(_NAMES))),
                document=self.document,
                wanted=Restoration(target=target, config=is_config, data=is_data),
                told=told,
            )
        if is_pruned or is_lost:
            return
        if is_data:
            self.bring_back(held)
        if restored.is_config_changed:
            self.configs.append(config)
        self.keep()
        self.last = None


def numbers(kept: tuple[dict[str, Held], Config]) -> set[int]:
    """Return the versions whose values stand in a document."""
    return {number for _, _, number in kept[0].values()}


def shown(config: Config) -> dict[str, Any]:
    if config == BRIEF:
        policies = {"retention_by_prefix": {BRIEFLY: 1}}
        return {"n": config, "policies": policies}
    return {} if config is None else {"n": config}


@given(acts=st.lists(ACTS, max_size=10), by_steps=st.booleans(), is_brief=st.booleans())
@example(acts=EMPTIED, by_steps=False, is_brief=False)
@example(acts=PRUNED, by_steps=False, is_brief=False)
@example(acts=PRUNED, by_steps=True, is_brief=True)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_holds_what_a_dict_would(
    api: Callable[[], Api],
    project: Project,
    acts: list[Any],
    by_steps: bool,
    is_brief: bool,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if by_steps:
            patch.setattr(restoring, "AT_ONCE", 2)
            patch.setattr(stepping, "STEP_KEYS", 2)
        history = History(api(), project, patch)
        if is_brief:
            history.configure(BRIEF)
        for name, *given_to in acts:
            getattr(history, name)(*given_to)
            _assert_standing(history)
        _assert_past(history)
        _assert_counted(history)
        history.assert_compared()
        _assert_chained(history)


def _assert_standing(history: History) -> None:
    body = made(history.store.listed(full="true"))
    assert {one["key"]: one["value"] for one in body["data"]} == history.data
    assert body["total"] == len(history.data)
    config = made(history.store.config())["config"]
    assert config == shown(history.config)


def _assert_past(history: History) -> None:
    store, emptied = history.store, history.emptied
    whole = history.pointed
    for number, kept in enumerate(history.kept):
        if kept is None:
            continue
        if not history.is_whole(number):
            assert store.listed(at=number).code == "version_pruned"
            assert store.read("a", at=number).code == "version_pruned"
            continue
        data = history.seen(kept[0])
        body = made(store.listed(full="true", at=number, limit=1000))
        lost = {key for key in data if kept[0][key][2] in emptied}
        assert not lost or (number < history.shown_from and number not in whole)
        there = data | dict.fromkeys(lost)
        assert {one["key"]: one["value"] for one in body["data"]} == there
        for key in lost:
            assert store.read(key, at=number).code == "contents_erased"
        assert [one["key"] for one in body["data"]] == sorted(
            data, key=lambda key: key.encode()
        )
    for ordinal, config in enumerate(history.configs):
        path = f"{store.path}/config/versions/v{ordinal}"
        assert made(store.client.get(path))["config"] == shown(config)


def _assert_counted(history: History) -> None:
    """Hold the versions of each key, and what was pruned of them, to one another."""
    for key in {"a", "a:1", "b"}:
        answer = history.store.versions(key)
        if answer.status == 404:
            continue
        body = made(answer)
        ordinals = {one["version"] for one in body["data"]}
        for stone in body["removed"]:
            span = range(stone["first_version"], stone["last_version"] + 1)
            assert stone["count"] == len(span)
            assert ordinals.isdisjoint(span)
            ordinals |= set(span)
        assert ordinals == set(range(1, max(ordinals) + 1))


def _assert_chained(history: History) -> None:
    """Verify the document, and the record of all that was done with it."""
    stream = history.document.stream_id
    records = AuditRecord.objects.for_stream(stream)
    # Every version but the first has its record, in the same order.
    versions = records.filter(version__isnull=False).order_by("number")
    assert list(versions.values_list("version", flat=True)) == list(
        range(1, len(history.kept))
    )
    verdict = made(history.store.client.get(f"{history.store.path}/audit/verify"))
    assert verdict["valid"] is True
    own = audit.verify_records(stream_id=stream)
    assert (own.is_intact, own.count) == (True, records.count())
    if len(history.kept) > 1:
        assert [str(one) for one in findings(history.document.id)] == []
