"""What is parsed beside another object is what it is alone, and shares its members."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from apps.core import json
from apps.core.errors import MalformedJson
from apps.timeline import bodies
from apps.timeline.bodies import Part
from apps.timeline.bodies.bundles import JSON

PIECES = (
    1,
    1.5,
    None,
    "a",
    'say ",\\"b\\":1}',
    {"b": 1},
    [1, {"b": 1}],
    {},
    "é",
    -1,
    12,
)


def some_state(chance: Random) -> dict[str, Any]:
    keys = chance.sample(["a", "b", "c", ",", "}", '"', "ü", ""], chance.randrange(6))
    return {key: chance.choice(PIECES) for key in keys}


def test_what_is_parsed_beside_another_is_what_is_parsed_alone() -> None:
    """Members come, go, change and change places; what is alike is the very same."""
    chance = Random(os.environ.get("STEPBACK_SEED", "13"))
    n_shared = 0
    for _ in range(20_000):
        known = some_state(chance)
        other = {k: v for k, v in known.items() if chance.random() < 0.8}
        other |= some_state(chance) if chance.random() < 0.7 else {}
        if chance.random() < 0.2:
            other = dict(chance.sample([*other.items()], len(other)))
        data = json.dumps(other)

        found = json.parse_alike(data, json.members_of(known))

        assert found == json.parse_written(data), (known, data)
        assert list(found) == list(other)
        assert json.dumps(found) == data
        n_shared += sum(found.get(k) is v for k, v in known.items() if type(v) is dict)
    assert n_shared > 1_000


BROKEN = (
    *(b"", b"[]", b"{}", b"1", b'{"a":10}', b'{"a":1', b'{"a":1,', b'{"a":1}x'),
    *(b'{"a":1,}', b'{,"a":1}', b'{"a":1}}', b'{"a":1,,"b":2}', b'{"b":2,"a":1,}'),
    *(b'{"c":3,,"b":2}', b'{"c":3 "b":2}', b'{"a":1"b":2}', b'{"a":1,"c":3,"b":2}'),
    *(b'{"a":1', b'{"d":{}', b'{"d":{}}'),
)


@pytest.mark.parametrize("data", BROKEN)
def test_what_is_no_such_object_is_parsed_or_refused_beside_another(
    data: bytes,
) -> None:
    def outcome(parse: Callable[[], Any]) -> Any:
        try:
            return parse()
        except MalformedJson as fault:
            return type(fault)

    known = json.members_of({"d": {}, "a": 1, "b": 2})
    alone = outcome(lambda: json.parse_written(data))
    assert outcome(lambda: json.parse_alike(data, known)) == alone


def test_beside_numbers_and_members_beyond_measure_all_is_parsed() -> None:
    assert json.members_of({"a": 2**70}) == []
    assert json.members_of({str(n): n for n in range(1_000)}) == []
    assert json.parse_alike(b'{"a":1}', []) == {"a": 1}


def test_a_body_is_told_from_other_parts_without_copying_it() -> None:
    parts = (Part("state", JSON, b"{}"), Part("messages", JSON, b"[1]"))
    raw = bodies.frame(parts)

    assert bodies.is_framed(raw, parts)
    assert bodies.names_in(raw) == ["state", "messages"]
    assert bodies.unframe(raw, without="state") == parts[1:]
    for other in (
        parts[:1],
        parts[::-1],
        (parts[0], Part("messages", JSON, b"[2]")),
        (parts[0], Part("messages", JSON, b"[12]")),
        (parts[0], Part("notes", JSON, b"[1]")),
        (Part("state", "text/plain", b"{}"), parts[1]),
    ):
        assert not bodies.is_framed(raw, other)
