"""Pointers are parsed, escaped and followed in one module."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.errors import UnacceptableJson
from apps.core.json import pointer, resolve, segments
from apps.diffs import pointers

APPS = Path(__file__).resolve().parents[2] / "apps"
KEYS = st.lists(st.text("ab~/01", max_size=4), max_size=5)


@given(KEYS)
def test_keys_survive_being_written_and_read(keys: list[str]) -> None:
    written = pointers.join(keys)

    assert pointers.split(written) == keys == segments(written)
    assert pointer(keys) == written


@pytest.mark.parametrize("text", ["a", "a/b", "/~", "/a~2", "/~~0", "~0"])
def test_text_that_is_no_pointer_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="JSON pointer"):
        pointers.split(text)
    with pytest.raises(UnacceptableJson):
        segments(text)


@pytest.mark.parametrize(
    "text", ["/b", "/a/2", "/a/-1", "/a/01", "/a/+1", "/a/\u0661", "/a/x", "/a/0/b"]
)
def test_what_is_not_there_is_a_key_error(text: str) -> None:
    state = {"a": [1, 2]}

    with pytest.raises(KeyError):
        pointers.resolve(state, text)
    with pytest.raises(UnacceptableJson):
        resolve(state, text)


def test_what_is_there_is_found() -> None:
    state = {"a/b": [{"m~n": 1}], "": 2}

    assert (
        pointers.resolve(state, "/a~1b/0/m~0n") == 1 == resolve(state, "/a~1b/0/m~0n")
    )
    assert pointers.resolve(state, "/") == 2
    assert pointers.resolve(state, "") is state


def test_no_other_module_knows_the_escapes() -> None:
    knowing = {
        file.relative_to(APPS).as_posix()
        for file in APPS.rglob("*.py")
        if '"~1"' in file.read_text()
    }

    assert knowing == {"diffs/pointers.py"}
