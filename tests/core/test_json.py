"""JSON: what is refused and where, and that nothing else changes on the way."""

import math
from collections import OrderedDict
from time import perf_counter, thread_time

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core import json
from apps.core.errors import MalformedJson, PayloadTooLarge, UnacceptableJson

LARGEST = 10**4300 - 1
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**60), 10**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), inner)
    ),
    max_leaves=20,
)


def nested(depth, inside="1"):
    return f"{'[' * depth}{inside}{']' * depth}".encode()


def spelled(value):
    """Tell 1 from 1.0 and True, 0.0 from -0.0, and one key order from another."""
    if isinstance(value, dict):
        return [(key, spelled(child)) for key, child in value.items()]
    if isinstance(value, list):
        return [spelled(child) for child in value]
    return (type(value), repr(value) if isinstance(value, float) else value)


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"", 1, 1),
        (b" \n\t ", 1, 1),
        (b"{", 1, 2),
        (b'{"a": ', 1, 7),
        (b'{"a":1,}', 1, 8),
        (b"[1,]", 1, 4),
        (b"[1 2]", 1, 4),
        (b'{"a" 1}', 1, 6),
        (b"{1:2}", 1, 2),
        (b"{'a':1}", 1, 2),
        (b"{} {}", 1, 4),
        (b'{"a":1} x', 1, 9),
        (b"{}\x00", 1, 3),
        (b"NaN", 1, 1),
        (b'{"a":NaN}', 1, 6),
        (b"[Infinity]", 1, 2),
        (b"[-Infinity]", 1, 3),
        (b"tru", 1, 4),
        (b"undefined", 1, 1),
        (b"+1", 1, 1),
        (b".5", 1, 1),
        (b"5.", 1, 3),
        (b"01", 1, 2),
        (b"0x10", 1, 2),
        (b"// a comment\n{}", 1, 1),
        (b'{"a":1,"a":2}', 1, 12),
        (b'{"a":1,"\\u0061":2}', 1, 17),
        (b'[{"x":{"b":1,"b":2}}]', 1, 18),
        (b'"\\ud800"', 1, 8),
        (b'"\\udc00\\ud800"', 1, 7),
        (b'"\\ud800\\u0041"', 1, 13),
        (b'"\\x41"', 1, 3),
        (b'"\\u{41}"', 1, 4),
        (b'"\xff"', 1, 2),
        (b'"\xed\xa0\x80"', 1, 2),
        (b'"\xc0\xaf"', 1, 2),
        (b'"\xf4\x90\x80\x80"', 1, 2),
        (b'"caf\xe9"', 1, 5),
        (b"\xef\xbb\xbf{}", 1, 1),
        ("{}".encode("utf-16"), 1, 1),
        ("{}".encode("utf-16-le"), 1, 2),
        ("{}".encode("utf-32-be"), 1, 1),
        (b'"a\x00"', 1, 3),
        (b'"a\tb"', 1, 3),
        (b'"a\nb"', 1, 3),
        (b'{"a"\n:\n\n  tru}', 4, 6),
        ('{"éé":"é" x'.encode(), 1, 11),
        (b"\n" * 100_000 + b"x", 100_001, 1),
    ],
)
def test_it_refuses_malformed_bodies_and_says_where(data, line, column):
    with pytest.raises(MalformedJson) as refused:
        json.parse(data)

    assert (refused.value.details["line"], refused.value.details["column"]) == (
        line,
        column,
    )


def test_it_gives_the_position_in_bytes_too():
    with pytest.raises(MalformedJson) as refused:
        json.parse('{"éé":\n "é" x'.encode())

    assert refused.value.details == {"line": 2, "column": 6, "position": 15}


def test_it_never_repeats_what_the_body_says():
    with pytest.raises(MalformedJson) as refused:
        json.parse(b'{"hunter2":1,"hunter2":2}')

    assert "hunter2" not in f"{refused.value} {refused.value.details}"
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


@pytest.mark.parametrize(
    ("data", "param"),
    [
        (b"1e400", ""),
        (b'{"a":1e400}', "/a"),
        (b'{"a":-1E+400}', "/a"),
        (b'{"a":[0,{"b":1e131071}]}', "/a/1/b"),
        (b'{"x~/y":1e999999999999999999999}', "/x~0~1y"),
        (b'{"a":' + b"1" * 400 + b".0}", "/a"),
        (b'{"a":' + b"1" * 4301 + b"}", "/a"),
        (b'{"a":[null,-' + b"1" * 4301 + b"]}", "/a/1"),
        (b'{"a":[null,-' + b"1" * 4301 + b'.5],"b":1}', "/a/1"),
        (b'{"a":{"b":' + b"9" * 1_000_000 + b"}}", "/a/b"),
        (nested(129), "/0" * 128),
        (nested(129, ""), "/0" * 128),
        (nested(5000), "/0" * 128),
        (b"[1,[" + nested(150) + b"]]", "/1" + "/0" * 127),
    ],
)
def test_it_names_the_place_of_what_is_well_formed_but_too_much(data, param):
    with pytest.raises(UnacceptableJson) as refused:
        json.parse(data)

    assert refused.value.param == param


def test_it_shortens_a_pointer_that_would_fill_the_answer():
    with pytest.raises(UnacceptableJson) as refused:
        json.parse(b'{"' + b"k" * 100_000 + b'":1e400}')

    assert len(refused.value.param) == 500


@pytest.mark.parametrize(
    ("data", "milliseconds"),
    [
        (b"[" * 100_000, 20),
        (nested(100_000), 20),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, 20),
        (b'{"a":' + b"9" * 1_000_000 + b"}", 50),
        (b"[" + b"1e131071," * 999 + b"1]", 50),
        (b"\n" * 1_000_000 + b"x", 50),
    ],
)
def test_it_refuses_bombs_quickly(data, milliseconds):
    # Of a processor: other processes on the machine do not count.
    times = []
    for _ in range(3):
        start = thread_time()
        with pytest.raises((UnacceptableJson, MalformedJson)):
            json.parse(data)
        times.append(thread_time() - start)

    assert min(times) * 1000 < milliseconds


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b"[]",
        b'{"":1}',
        b'{"b":1,"a":2}',
        b"9007199254740993",
        b"18446744073709551616",
        str(LARGEST).encode(),
        str(-LARGEST).encode(),
        b"-0.0",
        b"1.0",
        b"0.30000000000000004",
        b"5e-324",
        b"1.7976931348623157e+308",
        '"a\u2028\x7f\ufffe\U0010ffff\u202e"'.encode(),
        b'"\\u0000"',
        b'{"\\u0000":"\\\\u0000"}',
        b'{"__proto__":{"constructor":null}}',
        '{"é":1,"e\u0301":2}'.encode(),
        nested(128),
    ],
)
def test_it_writes_what_it_read(data):
    assert json.dumps(json.parse(data)) == data


def test_it_keeps_what_other_spellings_mean():
    value = json.parse(b'[1.10, 1e2, -0, 1e-400, "\\ud83d\\ude00"]')

    assert spelled(value) == spelled([1.1, 100.0, 0, 0.0, "😀"])


@settings(max_examples=150, deadline=None)
@given(values)
def test_it_returns_every_value_exactly(value):
    assert spelled(json.parse(json.dumps(value))) == spelled(value)


@settings(max_examples=50, deadline=None)
@given(values)
def test_what_was_written_is_read_as_it_was(value):
    assert repr(json.parse_written(json.dumps(value))) == repr(value)


def test_what_was_never_written_is_refused_as_ever():
    with pytest.raises(MalformedJson):
        json.parse_written(b'{"a": ')


@pytest.mark.parametrize("value", [b"null", b"1", b'"x"', b"true", b"[]"])
def test_a_state_is_an_object(value):
    with pytest.raises(UnacceptableJson):
        json.parse_object(value)


def test_a_state_has_a_largest_size_which_the_error_names():
    assert json.parse_object(b'{"a":1}', max_bytes=7) == {"a": 1}

    with pytest.raises(PayloadTooLarge, match="at most 6") as refused:
        json.parse_object(b'{"a":1}', max_bytes=6)

    assert refused.value.details == {"size": 7, "limit": 6}


def test_a_state_of_the_largest_size_is_taken_and_one_byte_more_is_not():
    filler = "x" * (json.MAX_STATE_BYTES - len('{"a":""}'))

    assert len(json.state_bytes({"a": filler})) == json.MAX_STATE_BYTES
    with pytest.raises(PayloadTooLarge):
        json.state_bytes({"a": filler + "x"})


def test_the_depth_of_a_state_does_not_count_the_request_around_it():
    deepest = {"x": json.parse(nested(127))}
    request = b'{"items":[{"state":%s}]}' % json.dumps(deepest)

    parsed = json.parse(request, max_depth=json.MAX_REQUEST_DEPTH)

    assert json.check(parsed["items"][0]["state"]) == deepest


def test_members_that_were_accepted_before_are_not_looked_at_again():
    was = {"rows": [1e400], "n": 1}

    assert json.check({**was, "n": 2, "more": [3]}, accepted=was)
    with pytest.raises(UnacceptableJson):
        json.check({**was, "more": [1e400]}, accepted=was)
    with pytest.raises(UnacceptableJson):
        json.check({"n": 1, "rows": [1e400]}, accepted=was)
    with pytest.raises(UnacceptableJson):
        json.state_bytes({"rows": was["rows"], "m": [1e400]}, accepted=was)


@pytest.mark.parametrize(
    ("state", "param"),
    [
        ([], "/state"),
        (None, "/state"),
        ({"a": [1, math.inf]}, "/state/a/1"),
        ({"a": math.nan}, "/state/a"),
        ({"a": LARGEST + 1}, "/state/a"),
        ({"a": json.parse(nested(128), max_depth=128)}, "/state/a" + "/0" * 127),
    ],
)
def test_it_checks_a_state_inside_a_request(state, param):
    with pytest.raises(UnacceptableJson) as refused:
        json.check(state, at="/state")

    assert refused.value.param == param


@pytest.mark.parametrize(
    ("value", "param"),
    [
        ({"a": [math.inf]}, "/a/0"),
        ({"a": -math.inf, "b": None}, "/a"),
        ({"a": math.nan, "n": 2**64}, "/a"),
        ({"a": LARGEST + 1}, "/a"),
        ({"a": {"b": "\ud800"}}, "/a/b"),
        ({"a": {"\udc00": 1}}, "/a"),
        ({"a": {1: 2}}, "/a"),
        ({"\ud800": 1}, ""),
        (OrderedDict(a=(1, math.inf)), "/a/1"),
        ([[[math.nan]], math.inf], "/0/0/0"),
    ],
)
@pytest.mark.parametrize("write", [json.dumps, json.splice])
def test_it_does_not_write_what_json_cannot_say(value, param, write):
    with pytest.raises(UnacceptableJson) as refused:
        write(value)

    assert refused.value.param == param


def test_it_does_not_guess_how_to_write_foreign_types():
    with pytest.raises(TypeError):
        json.dumps({"a": 2**70, "b": object()})


def test_it_refuses_to_write_nesting_that_never_ends():
    endless: list[object] = []
    endless.append(endless)

    with pytest.raises(UnacceptableJson):
        json.dumps(endless)


@pytest.mark.parametrize("write", [json.dumps, json.splice])
@pytest.mark.parametrize("number", [1, 2**64, -(2**63) - 1, LARGEST])
def test_it_splices_stored_bytes_beside_any_number(number, write):
    stored = orjson.Fragment(b'{"big":18446744073709551616,"none":null}')

    written = write({"version": number, "state": stored, "none": None})

    assert json.parse(written) == {
        "version": number,
        "state": {"big": 2**64, "none": None},
        "none": None,
    }


def test_it_writes_large_integers_in_every_kind_of_container():
    value = OrderedDict(b=(2**64, [-(2**70)]), a={"x": OrderedDict(y=2**80)})

    assert json.parse(json.dumps(value)) == {
        "b": [2**64, [-(2**70)]],
        "a": {"x": {"y": 2**80}},
    }


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\x00b", "a␀b"),
        ({"\x00": 1}, {"␀": 1}),
        ("x" * 201, "x" * 199 + "…"),
        ("x" * 200, "x" * 200),
        (2**64, str(2**64)),
        (2**64 - 1, 2**64 - 1),
        (-(2**63) - 1, str(-(2**63) - 1)),
        (LARGEST, "9" * 199 + "…"),
        (1e300, "1e+300"),
        (5e-324, "5e-324"),
        (math.inf, "inf"),
        (0.1, 0.1),
        (0.0, 0.0),
        (True, True),
        (None, None),
        ([[1]], [[1]]),
    ],
)
def test_it_cleans_values_for_columns_that_hold_less(value, shown):
    cleaned = json.cleaned(value)

    assert spelled(cleaned) == spelled(shown)


def test_it_bounds_the_depth_of_a_cleaned_value():
    assert json.cleaned({"a": {"b": {"c": 1}}}, max_depth=2) == {"a": {"b": "…"}}


def test_it_bounds_the_entries_of_a_cleaned_value():
    assert json.cleaned([1, 2, 3, 4], max_entries=3) == [1, 2, 3, "… 1 more"]
    assert json.cleaned({"a": [1, 2], "b": 3}, max_entries=2) == {
        "a": [1, "… 1 more"],
        "…": "1 more",
    }


@pytest.mark.parametrize(
    ("segments", "pointer"),
    [([], ""), (["a", 0], "/a/0"), ([""], "/"), (["a/b", "m~n"], "/a~1b/m~0n")],
)
def test_a_pointer_names_its_segments(segments, pointer):
    assert json.pointer(segments) == pointer
    assert json.segments(pointer) == [str(segment) for segment in segments]


@given(st.lists(st.text(alphabet="~/01a", max_size=4)))
@settings(max_examples=100)
def test_a_pointer_leads_back_to_its_segments(segments):
    assert json.segments(json.pointer(segments)) == segments


STATE = {"a": [1, 2, {"b": 3}], "c": {"d": 1, "": 2}, "m~n/": 8}


@pytest.mark.parametrize(
    ("path", "value"),
    [("", STATE), ("/a/2/b", 3), ("/a/0", 1), ("/c/", 2), ("/m~0n~1", 8)],
)
def test_it_resolves_a_pointer(path, value):
    assert json.resolve(STATE, path) == value


@pytest.mark.parametrize(
    "path",
    [
        "x",
        "a/0",
        "/x",
        "/a/3",
        "/a/-",
        "/a/01",
        "/a/-1",
        "/a/x",
        "/a/\u0661",
        "/c/d/e",
        "/~2",
        "/c~",
        "/a/" + "9" * 5000,
    ],
)
@pytest.mark.parametrize("verb", [json.resolve, json.remove])
def test_it_names_a_pointer_that_leads_nowhere(path, verb):
    with pytest.raises(UnacceptableJson) as refused:
        verb(STATE, path)

    assert refused.value.param[:400] == path[:400]


def test_it_refuses_to_remove_everything():
    with pytest.raises(UnacceptableJson):
        json.remove(STATE, "")


def test_it_removes_without_touching_the_original():
    before = json.dumps(STATE)

    after = json.remove(STATE, "/a/2/b")

    assert after == {**STATE, "a": [1, 2, {}]}
    assert after["c"] is STATE["c"]
    assert json.dumps(STATE) == before


def test_a_merge_sets_top_level_keys_in_their_places():
    merged = json.merged({"a": {"x": 1}, "b": 2}, {"a": None, "c": {"y": 1}})

    assert json.dumps(merged) == b'{"a":null,"b":2,"c":{"y":1}}'


def test_a_merge_removes_one_place_after_another():
    state = {"a": [1, 2, 3], "b": {"x": 1, "y": 2}}

    merged = json.merged(state, {"c": {"z": 1}}, ["/a/0", "/a/0", "/b/x", "/c/z"])

    assert merged == {"a": [3], "b": {"y": 2}, "c": {}}
    assert state == {"a": [1, 2, 3], "b": {"x": 1, "y": 2}}


def test_a_merge_refuses_to_remove_twice():
    with pytest.raises(UnacceptableJson) as refused:
        json.merged({"a": 1}, {}, ["/a", "/a"])

    assert refused.value.param == "/a"


def test_removing_one_thing_does_not_remove_its_equal_elsewhere():
    shared = {"x": 1, "y": 2}

    merged = json.merged({"a": shared, "b": shared}, {}, ["/a/x", "/b/y"])

    assert merged == {"a": {"y": 2}, "b": {"x": 1}}


def test_many_removals_copy_a_large_list_once():
    start = perf_counter()

    merged = json.merged({"a": list(range(50_000))}, {}, ["/a/0"] * 10_000)

    assert len(merged["a"]) == 40_000
    assert perf_counter() - start < 1.5  # 60 ms; a copy per removal takes 3 s
