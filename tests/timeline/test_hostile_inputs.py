"""Inputs that have broken others, one by one: what is refused, what is kept exactly.

Malformed and unacceptable JSON is in `test_strict_json`, values that must come back as
they were in `test_value_exact`, sizes at the limits in `live_api/test_large_bodies`,
batches in `test_batch`, heads in `test_expected_version`, times and limits of lists in
`core/test_paging`, requests that no client library sends in
`live_api/test_hostile_requests`. Here is what is left of the list. Where something is
refused, nothing is stored, in any table.
"""

from typing import Any

import pytest

from tests.conftest import Answer
from tests.timeline.doors import DOORS, PARTS, STATES, stored
from tests.timeline.runs import Begin, Clients, Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db
SQLISH = ["a') OR 1=1 --", '$.x"]', "__class", "a__b__c", "%", "a\\", "'", "${x}", ";"]
BIDI = "\u202egnp.exe\u202c \u2066x\u2069 \u200b\u00ad p\u0430ypal"
MARKUP = (
    "<script>alert(1)</script> {{7*7}} {% csrf_token %} =cmd|' /C calc'!A0 @SUM(A1)"
)


@pytest.fixture
def run(begin: Begin) -> Run:
    return begin({"kept": True})


@pytest.fixture
def strange(begin: Begin, make_key: Any, other_project: Any, api: Clients) -> Run:
    """A session of another project."""
    return begin({"kept": True}, client=api(make_key(project=other_project)))


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "",
        "application/json; charset=latin1",
        "application/json; charset=utf-16",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
    ],
)
def test_what_is_not_said_to_be_json_is_refused(run: Run, content_type: str) -> None:
    for door in DOORS:
        body = door.request(b'{"a": 1}')
        before = stored()
        answer = run.client.client.generic(
            door.method,
            door.where(run),
            body,
            content_type=content_type,
            headers=run.client.key,
        )

        assert answer.status_code == 415, str(door)
        assert stored() == before


@pytest.mark.parametrize(
    "key",
    ["", " ", "a,b", ",", "x" * 256, " a", "a ", "a\tb", "a\x7f", "é", "😀", "a\x00b"],
)
def test_an_idempotency_key_that_is_none_is_refused(run: Run, key: str) -> None:
    for door in DOORS:
        answer = door.refuses(run, door.request(b'{"a": 1}'), Idempotency_Key=key)

        assert_refused(answer, 400, "invalid_request", "Idempotency-Key")


@pytest.mark.parametrize(
    "wrong",
    ["upper", "braced", "urn", "dots", "long", "uuid", "other", "cut", "prefix"],
)
def test_a_session_id_is_found_in_its_one_spelling_alone(
    run: Run, strange: Run, wrong: str
) -> None:
    spelled = {
        "upper": run.id.upper(),
        "braced": f"{{{run.id}}}",
        "urn": f"urn:uuid:{run.id}",
        "dots": f"..%2f{run.id}",
        "long": run.id + "0" * 10_000,
        "uuid": "0190b6a0-0000-7000-8000-000000000000",
        "other": strange.id,
        "cut": run.id[:-1],
        "prefix": run.id.removeprefix("sess_"),
    }[wrong]

    for door in STATES:
        if door.path.startswith("/"):
            continue
        before = stored()
        answer = run.client.send(
            door.method,
            f"/v1/sessions/{spelled}/{door.path}",
            door.request(b'{"a": 1}'),
        )

        assert answer.status == 404, str(door)
        assert stored() == before
    assert run.client.get(f"/v1/sessions/{spelled}").status == 404


TEXTS = ("reasoning", "trace_id", "external_id", "objective_status", "model")
TELLING = [
    ("PATCH", "state", {"state": {"a": 1}}),
    ("PUT", "state", {"state": {"a": 1}}),
    ("POST", "state", {"state": {"a": 1}}),
    ("POST", "turns", {"input": "i", "output": "o", "state_after": {"a": 1}}),
    ("POST", "fork", {}),
]


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_beyond_its_limit_or_with_nul_is_refused(run: Run, name: str) -> None:
    limit = 32_768 if name == "reasoning" else 255
    for method, path, body in [*TELLING, ("POST", "pause", {})]:
        if name == "external_id" and path == "pause":
            continue
        for bad in ("x" * (limit + 1), "a\0b"):
            before = stored()
            answer = run.client.send(method, run.path(path), {**body, name: bad})

            assert_refused(answer, 400, "invalid_request", name)
            assert stored() == before


@pytest.mark.parametrize(
    "text",
    ["x" * 32_768, "one\r\ntwo\nX-Injected: 1", BIDI, MARKUP, "\u2028", "\x1b[31m"],
)
def test_a_reason_is_kept_as_it_is_and_stays_in_its_place(run: Run, text: str) -> None:
    answer = run.patch({"a": 1}, reasoning=text)

    assert run.get("versions", 1)["reasoning"] == text
    assert "X-Injected" not in answer.headers


@pytest.mark.parametrize("text", [BIDI, MARKUP])
def test_names_and_keys_are_kept_as_they_are(begin: Begin, text: str) -> None:
    state = {text: {text: text}}

    run = begin(state, external_id=text, user_id=text, metadata={text: text})

    told = run.get()
    assert (told["external_id"], told["user_id"]) == (text, text)
    assert (told["state"], told["metadata"]) == (state, {text: text})
    assert [
        one["id"]
        for one in run.client.get("/v1/sessions", {"user_id": text}).body["data"]
    ] == [run.id]


def test_a_key_of_a_mebibyte_is_kept_and_shown_short(run: Run) -> None:
    key = "k" * 1024 * 1024

    answer = run.put({key: {"a": 1}})

    assert answer.body["state"] == {key: {"a": 1}}
    assert run.state == {key: {"a": 1}}
    assert len(run.client.get(run.path("versions")).content) < 64_000


def test_metadata_has_a_limit_of_its_own(run: Run) -> None:
    large = b'"' + b"x" * 65_536 + b'"'
    for door in PARTS:
        if "/metadata/" in door.pointer and door.path != "turns":
            answer = door.refuses(run, door.request(large))

            assert_refused(answer, 413, "payload_too_large", "metadata")


def test_a_merge_that_grows_too_large_stores_nothing(begin: Begin) -> None:
    run = begin({"a": "x" * 9_000_000})
    more = b'{"b": "' + b"y" * 9_000_000 + b'"}'
    for door in STATES:
        if door.method == "PATCH" or door.path in ("fork", "versions"):
            if b"replace" in door.body:
                continue
            answer = door.refuses(run, door.request(more))

            assert (answer.status, answer.code) == (413, "payload_too_large"), str(door)


@pytest.mark.parametrize("text", SQLISH)
def test_a_filter_is_never_read_as_a_query(run: Run, text: str) -> None:
    for name in ("agent_id", "user_id", "external_id", "forked_from"):
        found = run.client.get("/v1/sessions", {name: text})

        assert (found.status, found.body["data"]) == (200, [])
    spelled = text.replace("\\", "\\\\").replace('"', '\\"')
    found = run.client.get(
        "/v1/sessions", {"metadata": f'{{"{spelled}": "{spelled}"}}'}
    )
    assert (found.status, found.body["data"]) == (200, [])


CURSORS = ["", "x", "-1", "'", "sess_", "sess_" + "z" * 26, "1e3", "a" * 1_001, "é\n"]
LISTS = ["/v1/sessions", "/v1/agents", "/v1/traces", "versions", "history", "turns"]


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_cursor_that_nobody_gave_finds_nothing_or_is_refused(
    run: Run, cursor: str
) -> None:
    for path in LISTS:
        where = path if path.startswith("/") else run.path(path)
        answer = run.client.get(where, {"starting_after": cursor})

        assert answer.status in (200, 400, 404), (path, answer.content)
        if answer.status == 400:
            assert answer.param == "starting_after"


def test_a_cursor_of_another_project_shows_nothing_of_it(
    run: Run, strange: Run
) -> None:
    for path in LISTS[:3]:
        answer = run.client.get(path, {"starting_after": strange.id})

        assert strange.id.encode() not in data_of(answer)
    for path in LISTS[3:]:
        assert run.client.get(strange.path(path)).status == 404


def data_of(answer: Answer) -> bytes:
    return b"" if answer.status != 200 else answer.content


POINTERS = {
    "deep": "/a" * 1_999,
    "long": "/" + "x" * 3_999,
    "too long": "/" + "x" * 4_000,
    "expression": "$..*",
    "regular expression": "/(a+)+$",
    "escape": "/a~2",
    "index": "/list/" + "9" * 400,
    "NUL": "/a\0",
}


@pytest.mark.parametrize("case", POINTERS)
def test_a_pointer_to_nothing_is_told_as_such(begin: Begin, case: str) -> None:
    run = begin({"a": "a" * 10_000 + "!", "list": [1]})

    answer = run.client.get(run.path("blame"), {"pointer": POINTERS[case]})

    assert answer.status in (400, 404), answer.content
    assert answer.code in ("invalid_request", "pointer_not_found")


@pytest.mark.parametrize(
    ("number", "status"),
    [
        ("0", 200),
        ("-1", 200),
        ("01", 200),
        ("2", 404),
        ("-3", 404),
        ("1e2", 400),
        ("9" * 20, 400),
        ("latest", 400),
        ("1;", 400),
        (" 1", 400),
        ("+1", 400),
        ("\u0661", 400),
    ],
)
def test_a_number_in_an_address_is_a_number_or_refused(
    run: Run, number: str, status: int
) -> None:
    run.patch({"a": 1})

    assert run.client.get(run.path("versions", number)).status == status


@pytest.mark.parametrize(
    "path",
    ["%00", "%ff", "a;b", "//", "x" * 9_000, "..", ".%2e/", "%2e%2e%2f", "a%0d%0ab"],
)
def test_an_address_that_is_none_is_not_found(run: Run, path: str) -> None:
    for where in (f"/v1/sessions/{path}", run.path(path), f"/v1/agents/{path}"):
        assert run.client.get(where).status in (400, 404), where


def test_an_identical_state_is_a_version_without_a_body(run: Run) -> None:
    for method in ("PATCH", "PUT", "POST"):
        answer = run.send(method, "state", {"state": {"kept": True}})

        assert answer.body["state"] == {"kept": True}
    assert run.head == 3
    assert run.get("versions", 3)["change_count"] == 0


def test_an_empty_body_changes_no_state(run: Run) -> None:
    for door in STATES:
        if door.path == "fork":
            continue
        answer = door.refuses(run, b"")

        assert answer.status in (400, 422), str(door)


@pytest.mark.parametrize("gone", ["deleted", "strange", "unknown"])
def test_what_is_gone_takes_nothing(run: Run, strange: Run, gone: str) -> None:
    if gone == "deleted":
        assert run.client.delete(run.path()).status == 204
    where = {"deleted": run.id, "strange": strange.id, "unknown": "sess_" + "0" * 26}

    for door in STATES:
        if not door.path.startswith("/"):
            before = stored()
            answer = run.client.send(
                door.method,
                f"/v1/sessions/{where[gone]}/{door.path}",
                door.request(b"{}"),
            )

            assert_refused(answer, 404, "session_not_found")
            assert stored() == before


def test_a_door_that_takes_something_is_seen_to_store_it(run: Run) -> None:
    """What the other tests rely on: a stored row is noticed, whatever the door."""
    for door in DOORS:
        before = stored()
        succeeded(door.send(run, door.request(b'{"a": 1}')))

        assert stored() != before, str(door)
