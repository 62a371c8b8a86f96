"""What JSON is refused, with which status and where; nothing of it is stored."""

from typing import Any

import pytest

from tests.timeline.doors import DOORS, PARTS, STATES, Door
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db
MALFORMED = {
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": [Infinity]}',
    "-Infinity": b'{"a": [-Infinity]}',
    "duplicate key": b'{"a": 1, "a": 2}',
    "duplicate key, escaped": b'{"a": 1, "\\u0061": 2}',
    "duplicate key, nested": b'{"a": [{"b": {"role": 1, "role": 2}}]}',
    "NUL byte": b'{"a": "\x00"}',
    "raw tab": b'{"a": "\t"}',
    "raw line feed": b'{"a": "\n"}',
    "lone high surrogate": b'{"a": "\\ud800"}',
    "lone low surrogate": b'{"a": "\\udc00"}',
    "reversed pair": b'{"a": "\\ude00\\ud83d"}',
    "lone surrogate in a key": b'{"\\ud800": 1}',
    "surrogate as bytes": b'{"a": "\xed\xa0\x80"}',
    "no UTF-8": b'{"a": "\xff"}',
    "overlong": b'{"a": "\xc0\xaf"}',
    "beyond Unicode": b'{"a": "\xf4\x90\x80\x80"}',
    "Latin-1": b'{"a": "\xe9"}',
    "trailing comma": b'{"a": 1,}',
    "trailing comma in a list": b'{"a": [1,]}',
    "comment": b'{"a": 1 /* one */}',
    "single quotes": b"{'a': 1}",
    "plus sign": b'{"a": +1}',
    "no whole part": b'{"a": .5}',
    "no fraction": b'{"a": 5.}',
    "no exponent": b'{"a": 5e}',
    "leading zero": b'{"a": 01}',
    "hexadecimal": b'{"a": 0x10}',
    "misspelt word": b'{"a": tru}',
    "undefined": b'{"a": undefined}',
    "no colon": b'{"a" 1}',
    "no value": b'{"a": }',
    "key that is no string": b"{1: 1}",
    "bad escape": b'{"a": "\\x41"}',
    "short escape": b'{"a": "\\u12"}',
    "braced escape": b'{"a": "\\u{41}"}',
    "unclosed": b'{"a": [1, 2',
    "unclosed string": b'{"a": "b',
}
# One parser reads all doors: beside states, a case of each kind of fault will do.
ONE_OF_EACH = ("NaN", "duplicate key", "lone high surrogate", "no UTF-8", "unclosed")
WHOLE = {
    "blanks": b" \n\t ",
    "byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"state": {}}'.encode("utf-16"),
    "UTF-16 without a mark": '{"state": {}}'.encode("utf-16-le"),
    "UTF-32": '{"state": {}}'.encode("utf-32"),
    "trailing object": b'{"state": {}} {}',
    "trailing letter": b'{"state": {}}x',
    "NDJSON": b'{"state": {}}\n{"state": {}}\n',
    "duplicate field": b'{"state": {"a": 1}, "state": {"a": 2}}',
}
UNACCEPTABLE = {
    "1e400": (b'{"a": 1e400}', "/a"),
    "-1e400": (b'{"a": -1e400}', "/a"),
    "1e131071": (b'{"a": [0, 1e131071]}', "/a/1"),
    "1e131073": (b'{"a": {"b": 1e131073}}', "/a/b"),
    "nine kilobytes of 1e131071": (
        b'{"a": [' + b",".join([b"1e131071"] * 1000) + b"]}",
        "/a/0",
    ),
    "4,301 digits": (b'{"a": ' + b"9" * 4301 + b"}", "/a"),
    "4,301 digits below zero": (b'{"a": [-' + b"9" * 4301 + b"]}", "/a/0"),
    "a million digits": (b'{"a": 1' + b"0" * 1_000_000 + b"}", "/a"),
    "129 deep": (b'{"a":' * 129 + b"1" + b"}" * 129, "/a" * 128),
    "130 deep": (b'{"a":' + b"[" * 130 + b"]" * 130 + b"}", "/a" + "/0" * 127),
    "5,000 deep": (b'{"a":' * 5000 + b"1" + b"}" * 5000, None),
    "100,000 deep": (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", None),
    "null": (b"[null]", ""),
    "list": (b"[]", ""),
    "text": (b'"{}"', ""),
    "number": (b"1", ""),
    "true": (b"true", ""),
}
# What is refused for its size or its depth, not for being no object.
LIMITS = [case for case, (_, pointer) in UNACCEPTABLE.items() if pointer != ""]


@pytest.fixture
def run(begin: Begin) -> Run:
    return begin({"kept": True})


def is_at(door: Door, pointer: str | None, param: str | None) -> bool:
    """Tell whether an error points to this place in the door's state.

    Of the item of a batch that is no state at all, the field is named.
    """
    if pointer is None:
        return (param or "").startswith(door.pointer)
    in_item = door.pointer.startswith("/versions/")
    if in_item and not pointer:
        return param == "versions[1].state"
    return param == door.pointer + pointer


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_json_is_refused_with_its_place_at_every_door(
    run: Run, case: Any
) -> None:
    for door in DOORS if case in ONE_OF_EACH else STATES:
        body = door.request(MALFORMED[case])

        answer = door.refuses(run, body)

        assert_refused(answer, 400, "malformed_json")
        told = answer.body["error"]
        assert body.index(b"\n") < told["position"] <= len(body)
        assert told["line"] in (2, 3)
        assert told["column"] >= 1
        assert f"line {told['line']}, column {told['column']}" in told["message"]


def test_the_place_of_a_fault_is_counted_in_characters_and_in_bytes(run: Run) -> None:
    body = '{"state":\n{"ä": tru}}'.encode()

    told = run.client.patch(run.path("state"), body).body["error"]

    assert (told["line"], told["column"]) == (2, 10)
    assert told["position"] == body.index(b"tru") + 3


@pytest.mark.parametrize("case", WHOLE)
def test_a_request_that_is_no_json_text_is_refused_at_every_door(
    run: Run, case: Any
) -> None:
    for door in STATES:
        answer = door.refuses(run, WHOLE[case])

        assert_refused(answer, 400, "malformed_json")
        assert answer.body["error"]["line"] >= 1


def test_a_hundred_thousand_open_lists_are_too_deep_at_every_door(run: Run) -> None:
    for door in DOORS:
        answer = door.refuses(run, b"[" * 100_000)

        assert_refused(answer, 422, "unacceptable_json")


@pytest.mark.parametrize("case", UNACCEPTABLE)
def test_json_that_is_no_state_is_refused_with_a_pointer_at_every_door(
    run: Run, case: Any
) -> None:
    state, pointer = UNACCEPTABLE[case]
    for door in STATES:
        answer = door.refuses(run, door.request(state))

        assert_refused(answer, 422, "unacceptable_json")
        assert is_at(door, pointer, answer.param), (door, answer.param)


@pytest.mark.parametrize("case", LIMITS)
def test_the_limits_hold_beside_the_state_too(run: Run, case: Any) -> None:
    value, _ = UNACCEPTABLE[case]
    for door in PARTS:
        answer = door.refuses(run, door.request(value))

        assert_refused(answer, 422, "unacceptable_json")


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"1", b"null", b"true", b"0.5"])
def test_a_request_that_is_no_object_is_refused_at_every_door(
    run: Run, body: Any
) -> None:
    for door in DOORS:
        answer = door.refuses(run, body)

        assert_refused(answer, 422, "unacceptable_json")
        assert answer.param == ""


def test_an_error_never_repeats_what_was_sent(run: Run) -> None:
    secret = b"canary-4711"

    for state in (
        b'{"' + secret + b'": 1, "' + secret + b'": 2}',
        b'{"a": ' + secret + b"}",
        b'{"a": "' + secret,
        b'"' + secret + b'"',
    ):
        for door in STATES:
            answer = door.refuses(run, door.request(state))

            assert answer.status in (400, 422)
            assert secret not in answer.content
