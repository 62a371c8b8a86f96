"""A table that workers share finds what was put, and nothing that is spoiled."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from apps.core.processes import shared_values
from apps.core.processes.shared_values import MOST_BYTES, SLOT, SharedValues

NAME = "sess_01"


@pytest.fixture
def values() -> SharedValues:
    return SharedValues(4)


def beside(act: Callable[[], bool]) -> bool:
    """Act in a process that is forked from this one, and return what it says."""
    child = os.fork()
    if child == 0:
        os._exit(0 if act() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_value_is_found_by_its_name(values: SharedValues) -> None:
    values.put(NAME, b"one")
    assert values.get(NAME) == b"one"

    values.put(NAME, b"two, which is longer")
    assert values.get(NAME) == b"two, which is longer"
    assert values.get("sess_02") is None

    values.drop(NAME)
    assert values.get(NAME) is None


def test_forked_processes_share_what_any_of_them_puts(values: SharedValues) -> None:
    values.put(NAME, b"before")

    def put() -> bool:
        known = values.get(NAME) == b"before"
        values.put(NAME, b"after")
        return known

    assert beside(put)
    assert values.get(NAME) == b"after"


def test_names_that_share_a_slot_push_each_other_out() -> None:
    values = SharedValues(1)
    values.put("one", b"1")
    values.put("other", b"2")
    values.drop("one")

    assert values.get("one") is None
    assert values.get("other") == b"2"


def test_a_name_may_be_as_long_as_callers_send_it() -> None:
    values = SharedValues(1)
    values.put("s" * 65, b"one")
    assert values.get("s" * 65) == b"one"

    assert values.get("t" * 5000) is None
    values.drop("t" * 5000)
    assert values.get("s" * 65) == b"one"


@pytest.mark.parametrize("at", [0, 15, 16, 19, 20, 22])
def test_a_value_that_was_spoiled_anywhere_is_not_found(at: int) -> None:
    values = SharedValues(1)
    values.put(NAME, b"one")
    values._memory[at] ^= 1

    assert values.get(NAME) is None


def test_the_first_half_of_a_value_that_is_being_written_is_not_found() -> None:
    values, written = SharedValues(1), SharedValues(1)
    values.put(NAME, b"a" * 1000)
    written.put(NAME, b"b" * 1000)
    values._memory[:500] = written._memory[:500]

    assert values.get(NAME) is None


def test_a_value_has_the_room_of_a_slot(values: SharedValues) -> None:
    values.put(NAME, b"x" * MOST_BYTES)
    assert values.get(NAME) == b"x" * MOST_BYTES

    values.put(NAME, b"x" * (MOST_BYTES + 1))
    assert values.get(NAME) is None


def test_there_is_a_table_only_where_a_server_has_made_one() -> None:
    assert shared_values.inherited() is None
    with shared_values.shared_values():
        made = shared_values.inherited()
        assert made is not None
        assert len(made._memory) == shared_values.SLOTS * SLOT
    assert shared_values.inherited() is None
