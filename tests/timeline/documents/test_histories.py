"""Keyed documents against a plain dict: any order of acts, at every version."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.accounts.models import Project
from apps.timeline.errors import KeyNotFound
from apps.timeline.verification import findings
from tests.timeline.documents.keeping import Keeper, new_entry

KEYS = st.sampled_from(["a", "ab", "abc", "b", "b:1", "b:2", "é", "\U0010ffff"])
ACTS = st.one_of(
    st.tuples(
        st.just("put"),
        st.lists(
            st.tuples(KEYS, st.text(alphabet="xyz", max_size=3), st.booleans()),
            min_size=1,
            max_size=4,
        ),
    ),
    st.tuples(st.just("remove"), KEYS),
    st.tuples(st.just("prefix"), st.sampled_from(["a", "b:", "é", "c"])),
    st.tuples(st.just("configure"), st.integers(0, 3)),
    st.tuples(
        st.just("restore"), st.floats(0, 1), st.sampled_from(["config", "data", "both"])
    ),
    st.tuples(st.just("wait")),
    st.tuples(st.just("sweep")),
)
_NAMES = count()
# What lapses does so an hour after it is written; to wait is to let two pass.
LIFE, WAIT = timedelta(hours=1), timedelta(hours=2)
NEVER = datetime.max.replace(tzinfo=UTC)


class Pair:
    """A document and the dict that it is held against; each value with its end."""

    def __init__(self, keeper: Keeper) -> None:
        self.keeper = keeper
        self.data: dict[str, tuple[str, datetime]] = {}
        self.config: int | None = None
        self.kept: list[tuple[dict[str, tuple[str, datetime]], int | None]] = [
            ({}, None)
        ]

    @property
    def now(self) -> datetime:
        return self.keeper.act().now

    def keep(self) -> None:
        self.kept.append((dict(self.data), self.config))

    def values(self) -> dict[str, str]:
        return self.lasting(self.data)

    def lasting(self, data: dict[str, tuple[str, datetime]]) -> dict[str, str]:
        now = self.now
        return {key: value for key, (value, end) in data.items() if end > now}

    def put(self, entries: list[tuple[str, str, bool]]) -> None:
        end = self.now + LIFE
        self.keeper.put_all(
            [
                new_entry(key, value, end if lapses else None)
                for key, value, lapses in entries
            ]
        )
        for key, value, lapses in entries:
            self.data[key] = (value, end if lapses else NEVER)
            self.keep()

    def remove(self, key: str) -> None:
        if key not in self.values():
            with pytest.raises(KeyNotFound):
                self.keeper.remove(key)
            return
        self.keeper.remove(key)
        del self.data[key]
        self.keep()

    def prefix(self, prefix: str) -> None:
        gone = [key for key in self.values() if key.startswith(prefix)]
        assert self.keeper.remove_prefix(prefix) == len(gone)
        if gone:
            self.drop(key for key in list(self.data) if key.startswith(prefix))

    def configure(self, value: int) -> None:
        self.keeper.configure(model=value)
        self.config = value
        self.keep()

    def restore(self, place: float, parts: str) -> None:
        target = round(place * (len(self.kept) - 1))
        (data, config), now = self.kept[target], self.now
        self.keeper.restore(target, config=parts != "data", data=parts != "config")
        if parts != "data":
            self.config = config
        if parts != "config":
            # What was not touched since stays, until it is swept.
            same = {key for key, item in data.items() if self.data.get(key) == item}
            self.data = {
                key: item for key, item in data.items() if item[1] > now or key in same
            }
        self.keep()

    def wait(self) -> None:
        self.keeper.ago += WAIT

    def sweep(self) -> None:
        now = self.now
        swept = [key for key, (_, end) in self.data.items() if end <= now]
        assert self.keeper.expire() == len(swept)
        if swept:
            self.drop(swept)

    def drop(self, keys: Iterable[str]) -> None:
        for key in keys:
            del self.data[key]
        self.keep()


@pytest.mark.django_db
@given(acts=st.lists(ACTS, max_size=12))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_holds_what_a_dict_would(project: Project, acts: list[Any]) -> None:
    keeper = Keeper.begin(project, name=f"keeper {next(_NAMES)}")
    keeper.ago = timedelta(days=-10)
    pair = Pair(keeper)
    pair.put([("begun", "v", False)])
    for name, *given_to in acts:
        getattr(pair, name)(*given_to)
        assert keeper.values() == pair.values()
    for number, (data, _) in enumerate(pair.kept):
        assert keeper.values_at(number) == pair.lasting(data)
    standing, values = keeper.standing(), pair.values()
    assert standing.number == len(pair.kept) - 1
    assert standing.keys == len(values)
    assert standing.bytes == sum(len(value) for value in values.values())
    if pair.config is not None:
        assert keeper.config() == {"model": pair.config}
    assert [str(finding) for finding in findings(keeper.document.id)] == []
