"""States come back as the values they were, byte by byte, through every verb."""

from typing import Any

import pytest

from tests.timeline.runs import Begin, Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db
DEEPEST = 127

# The bytes that a state must come back as. Spelling is canonical: no spaces, no
# escapes but those that JSON needs; the value is what is kept exactly.
STATES = {
    "beyond 2^53": b'{"n":9007199254740993}',
    "2^64": b'{"n":18446744073709551616}',
    "below -2^64": b'{"n":-18446744073709551617}',
    "a 4,300-digit integer": b'{"n":' + b"9" * 4300 + b"}",
    "its negative": b'{"n":[-' + b"7" * 4300 + b"]}",
    "0.1": b'{"n":[0.1,0.30000000000000004,1.5,100.0]}',
    "negative zero": b'{"n":-0.0}',
    "largest and smallest": b'{"n":[1.7976931348623157e+308,5e-324]}',
    "booleans and ones": b'{"a":true,"b":1,"c":1.0,"d":"1","e":null}',
    "key order": b'{"b":1,"a":2,"10":3,"9":4,"aa":5}',
    "empty key": b'{"":{"":1}}',
    "prototype": b'{"__proto__":{"x":1},"constructor":1,"hasOwnProperty":2}',
    "NUL": b'{"a\\u0000b":"\\u0000"}',
    "an escaped backslash": b'{"a":"\\\\u0000"}',
    "control characters": b'{"a":"\\u0001\\b\\t\\n\\f\\r\\u001f"}',
    "line separators": '{"a":"\u2028\u2029\x7f\u0085"}'.encode(),
    "composed and not": '{"é":1,"e\u0301":2}'.encode(),
    "emoji": '{"😀":"👩‍👩‍👧"}'.encode(),
    "non-characters": '{"a":"\uffff\U0010ffff\ufeff"}'.encode(),
    "bidi and zero width": '{"a\u202e":"\u2066\u200b"}'.encode(),
    "markup": b'{"a":"<script>{{7*7}}</script>{% csrf %}=cmd()"}',
    "empty containers": b'{"a":{},"b":[],"c":[[],{}]}',
    "as deep as allowed": b'{"a":' * DEEPEST + b'{"a":1}' + b"}" * DEEPEST,
}
SPELLINGS = {
    "small float": (b'{"n":1e-400}', b'{"n":0.0}'),
    "exponent": (b'{"n":1E+2}', b'{"n":100.0}'),
    "trailing zero": (b'{"n":1.10}', b'{"n":1.1}'),
    "negative zero as an integer": (b'{"n":-0}', b'{"n":0}'),
    "thirty digits": (
        b'{"n":0.123456789012345678901234567890}',
        b'{"n":0.12345678901234568}',
    ),
    "escaped pair": (b'{"a":"\\ud83d\\ude00"}', '{"a":"😀"}'.encode()),
    "escapes in a key": (b'{"\\u0061\\/":"\\u002F"}', b'{"a/":"/"}'),
    "blanks": (b' {\n"a" :\t[ 1 , 2 ]\r} ', b'{"a":[1,2]}'),
}


# All of them in one state; the deepest is left out, being as deep as is allowed.
EVERYTHING = (
    b"{"
    + b",".join(
        b'"%s":%s' % (case.encode(), state)
        for case, state in STATES.items()
        if case != "as deep as allowed"
    )
    + b"}"
)


def shown(run: Run, *path: Any) -> Any:
    return succeeded(run.client.get(run.path(*path))).content


def put(run: Run, state: Any) -> Any:
    body = b'{"state":' + state + b"}"
    return succeeded(run.client.put(run.path("state"), body)).content


@pytest.mark.parametrize("case", STATES)
def test_a_state_comes_back_as_the_bytes_it_was(begin: Begin, case: Any) -> None:
    state = STATES[case]
    run = begin({"other": 1})

    assert b'"state":' + state in put(run, state)
    assert b'"data":' + state in shown(run, "state")


def test_every_read_gives_the_same_bytes(begin: Begin) -> None:
    run = begin({"other": 1})
    put(run, EVERYTHING)

    for path in ("", "state", "versions/1", "checkpoint", "state/history", "history"):
        assert b'"state":' + EVERYTHING in shown(run, *filter(None, [path]))


def test_a_fork_and_a_rollback_give_the_same_bytes(begin: Begin) -> None:
    run = begin({"other": 1})
    put(run, EVERYTHING)
    put(run, b'{"wiped":true}')

    fork = run.fork(version=1)
    rolled_back = succeeded(run.client.post(run.path("rollback"), {"version": 1}))

    assert b'"state":' + EVERYTHING in fork.made.content
    assert b'"state":' + EVERYTHING in shown(fork, "state")
    assert b'"state":' + EVERYTHING in rolled_back.content
    assert b'"state":' + EVERYTHING in shown(run, "state")
    assert b'"changes":[]' in shown(run, "changes?from=1&to=3")


def test_a_merge_brings_it_in_exactly(begin: Begin) -> None:
    run = begin()

    merged = run.client.patch(run.path("state"), b'{"state":' + EVERYTHING + b"}")

    assert b'"state":' + EVERYTHING in succeeded(merged).content


def test_a_merge_into_it_keeps_the_rest_as_it_is(begin: Begin) -> None:
    run = begin()
    put(run, EVERYTHING)

    merged = run.patch({"merged": 1}).content

    assert b'"state":' + EVERYTHING[:-1] + b',"merged":1}' in merged


def test_a_create_keeps_it_exactly(begin: Begin) -> None:
    body = b'{"agent_id":"travel","initial_state":' + EVERYTHING + b"}"

    created = succeeded(begin().client.post("/v1/sessions", body))

    assert b'"state":' + EVERYTHING in created.content


def test_a_turn_keeps_it_exactly(begin: Begin) -> None:
    run = begin()
    body = b'{"input":{"x":%s},"output":"o","state_before":%s,"state_after":%s}'

    turn = run.client.post(run.path("turns"), body.replace(b"%s", EVERYTHING))

    for name in (b"x", b"state_before", b"state_after"):
        assert b'"%s":%s' % (name, EVERYTHING) in succeeded(turn).content
    assert b'"state":' + EVERYTHING in shown(run, "state")


@pytest.mark.parametrize("case", SPELLINGS)
def test_another_spelling_is_the_same_value(begin: Begin, case: Any) -> None:
    sent, kept = SPELLINGS[case]
    run = begin()

    assert b'"state":' + kept in put(run, sent)


def test_a_hundred_thousand_keys_are_kept_in_order(begin: Begin) -> None:
    state = b"{" + b",".join(b'"k%d":%d' % (n, n) for n in range(100_000, 0, -1)) + b"}"
    run = begin()

    assert b'"state":' + state in put(run, state)
    assert b'"state":' + state in shown(run, "state")


def test_what_was_removed_is_gone_and_the_rest_exact(begin: Begin) -> None:
    run = begin()
    put(run, b'{"a":18446744073709551616,"b":-0.0,"c":"\\u0000"}')

    body = b'{"remove":["/b"]}'
    answer = succeeded(run.client.patch(run.path("state"), body))

    assert b'"state":{"a":18446744073709551616,"c":"\\u0000"}' in answer.content


def test_a_change_of_spelling_alone_changes_nothing(begin: Begin) -> None:
    run = begin()
    put(run, b'{"n":100.0}')
    put(run, b'{"n":1e2}')

    assert run.get("versions", 2)["change_count"] == 0


def test_zero_and_negative_zero_are_told_apart(begin: Begin) -> None:
    run = begin()
    put(run, b'{"n":0.0}')
    put(run, b'{"n":-0.0}')

    assert b'"state":{"n":-0.0}' in shown(run, "state")


def test_one_level_deeper_is_refused(begin: Begin) -> None:
    run = begin({"kept": 1})
    deeper = b'{"a":' * (DEEPEST + 1) + b'{"a":1}' + b"}" * (DEEPEST + 1)

    answer = run.client.put(run.path("state"), b'{"state":' + deeper + b"}")

    assert_refused(answer, 422, "unacceptable_json")
    assert run.state == {"kept": 1}
