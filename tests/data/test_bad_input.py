"""What agents' data and config refuse, each with what is wrong and where."""

from typing import Any

import pytest

from apps.audit.models import Event
from tests.data.conftest import Store, made

KEYS = {
    "empty": "",
    "too long": "k" * 513,
    "NUL": "a\0b",
    "line end": "a\nb",
    "query": "a?b",
    "fragment": "a#b",
    "backslash": "a\\b",
    "encoded": "a%41b",
    "dots": "a/../b",
    "dot": "./a",
    "one dot": ".",
    "end": "a ",
    "batch": "batch",
    "search": "search",
    "prefix": "prefix/a",
    "full": "a/full",
    "versions": "a/versions",
}
FINE = [
    "a",
    "k" * 512,
    "100%",
    "a%zz",
    "prefix",
    "full",
    "a..b",
    "ключ",
    "a//b",
    "/a",
    " a",
]


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
def test_a_key_that_no_address_finds_again_is_refused(store: Store, key: str) -> None:
    before = Event.objects.count()

    answer = store.write(key)
    batch = store.batch([{"key": "fine", "value": "v"}, {"key": key, "value": "v"}])

    assert (answer.status, answer.code, answer.param) == (400, "invalid_key", "key")
    assert (batch.status, batch.param) == (400, "entries[1].key")
    assert Event.objects.count() == before
    assert store.keys() == []


@pytest.mark.parametrize("key", FINE)
def test_any_other_key_is_found_under_its_address(store: Store, key: str) -> None:
    assert made(store.write(key, "mine"))["key"] == key

    assert made(store.at(key.replace("%", "%25")))["value"] == "mine"
    assert made(store.read(key))["value"] == "mine"
    assert store.keys() == [key]


BODIES: list[tuple[dict[str, Any], str]] = [
    ({"key": "a"}, "value"),
    ({"key": "a", "value": None}, "value"),
    ({"key": "a", "value": 5}, "value"),
    ({"key": "a", "value": {"b": 1}}, "value"),
    ({"key": 5, "value": "v"}, "key"),
    ({"value": "v"}, "key"),
    ({"key": "a", "value": "v", "metadata": [1]}, "metadata"),
    ({"key": "a", "value": "v", "expected_version": -1}, "expected_version"),
    ({"key": "a", "value": "v", "expected_version": "1"}, "expected_version"),
]


@pytest.mark.parametrize(("body", "param"), BODIES, ids=str)
def test_a_body_that_is_no_write_is_refused(
    store: Store, body: dict[str, Any], param: str
) -> None:
    one = store.client.post(f"{store.path}/data", body)
    batch = store.batch([body])

    assert (one.status, one.code, one.param) == (400, "invalid_request", param)
    assert (batch.status, batch.param) == (400, f"entries[0].{param}")
    assert one.body["message"] == one.body["error"]["message"]
    assert one.body["field"] == param


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'{"key": "a", "value": "\\ud800"}', "unacceptable_json"),
        (b'{"key": "a", "value": NaN}', "malformed_json"),
        (b'{"key": "a", "value": "v", "metadata": {"a": 1e400}}', "unacceptable_json"),
        (b"[]", "unacceptable_json"),
    ],
)
def test_what_is_no_json_is_refused(store: Store, raw: bytes, code: str) -> None:
    answer = store.client.post(f"{store.path}/data", raw)

    assert answer.status in (400, 422)
    assert answer.code in (code, "malformed_json")


def test_what_is_too_large_is_refused(store: Store) -> None:
    large = store.write("a", "ü" * (1 << 19) + "x")
    fits = store.write("a", "ü" * (1 << 19))
    metadata = store.write("a", metadata={"a": "x" * (16 << 10)})
    config = store.configure({"a": "x" * (256 << 10)})

    for answer, param in ((large, "value"), (metadata, "metadata"), (config, "")):
        assert (answer.status, answer.code) == (413, "content_too_large")
        assert answer.param == param
    assert made(fits)["allowed"] is True


def test_a_batch_has_1_to_100_entries(store: Store) -> None:
    entry = {"key": "a", "value": "v"}

    assert store.batch([]).status == 400
    assert store.batch([entry] * 101).param == "entries"
    assert made(store.batch([entry] * 100))["summary"]["allowed"] == 100
    missing = store.client.post(f"{store.path}/data/batch", {})
    assert (missing.status, missing.param) == (400, "entries")
    both = {"entries": [entry], "items": [{"key": "b", "value": "v"}]}
    assert store.client.post(f"{store.path}/data/batch", both).param == "items"
    assert store.batch(["a"]).param == "entries[0]"
    assert store.batch([{**entry, "keyy": 1}]).param == "entries[0].keyy"


@pytest.mark.parametrize("prefix", ["", "\0", "k" * 513])
def test_nothing_is_deleted_by_no_prefix(store: Store, prefix: str) -> None:
    made(store.write("a"))

    assert store.delete_prefix(prefix).status == 400
    assert store.client.delete(f"{store.path}/data").param == "prefix"
    assert store.client.delete(f"{store.path}/data/prefix/").status in (400, 404)
    assert store.keys() == ["a"]


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "1001"}, "limit"),
        ({"offset": "-1"}, "offset"),
        ({"cursor": "%"}, "cursor"),
        ({"cursor": "YQ="}, "cursor"),
        ({"cursor": "YQ", "offset": "1"}, "offset"),
        ({"at": "1", "offset": "1"}, "offset"),
        ({"key": "a", "prefix": "b"}, "prefix"),
        ({"full": "maybe"}, "full"),
        ({"page": "2"}, "page"),
    ],
    ids=str,
)
def test_a_query_that_is_not_understood_is_refused(
    store: Store, query: dict[str, str], param: str
) -> None:
    answer = store.listed(**query)

    assert (answer.status, answer.param) == (400, param)


def test_a_version_that_is_still_to_come_is_not_found(store: Store) -> None:
    made(store.write("a"))

    for answer in (store.read("a", at=2), store.listed(at=2)):
        assert (answer.status, answer.code) == (404, "version_not_found")
    assert store.read("a", at=0).code == "key_not_found"


@pytest.mark.parametrize(
    ("policies", "place"),
    [
        ({"block_pi": True}, "/policies/block_pi"),
        ({"block_pii": "yes"}, "/policies/block_pii"),
        ({"retention_days": 0}, "/policies/retention_days"),
        ({"retention_days": -1}, "/policies/retention_days"),
        (
            {"custom_blocked_patterns": [{"name": "a", "regex": "(?=a)"}]},
            "/policies/custom_blocked_patterns/0/regex",
        ),
        (
            {"custom_blocked_patterns": [{"name": "a", "regex": r"(a)\1"}]},
            "/policies/custom_blocked_patterns/0/regex",
        ),
        (
            {"custom_blocked_patterns": [{"name": "a", "regex": "(a{1000}){1000}"}]},
            "/policies/custom_blocked_patterns/0/regex",
        ),
    ],
    ids=str,
)
def test_a_policy_that_cannot_be_kept_is_refused(
    store: Store, policies: dict[str, Any], place: str
) -> None:
    answer = store.policies(**policies)

    assert (answer.status, answer.code) == (400, "invalid_policy")
    assert answer.param == place
    assert made(store.config())["version"] == "v0"


@pytest.mark.parametrize(
    ("config", "param"),
    [
        ({"audit": True}, "/audit"),
        ({"audit": {"reads": "no"}}, "/audit/reads"),
        ({"audit": {"reads": False, "read/s": 1}}, "/audit/read~1s"),
        ({"audit": {"Reads": False}}, "/audit/Reads"),
    ],
)
def test_an_audit_that_is_not_understood_is_refused(
    store: Store, config: Any, param: str
) -> None:
    answer = store.configure(config)

    assert (answer.status, answer.param) == (400, param)


def test_a_config_is_an_object(store: Store) -> None:
    for body in ([1], b"", None, "a"):
        answer = store.configure(body)

        assert (answer.status, answer.code) == (422, "unacceptable_json")
    assert made(store.config())["version"] == "v0"
    assert made(store.configure({}))["version"] == "v1"


@pytest.mark.parametrize("version", ["v2", "v99999999999999999999", "two", "-1", ""])
def test_a_config_version_that_there_is_not_is_not_found(
    store: Store, version: str
) -> None:
    made(store.configure({"a": 1}))

    read = store.client.get(f"{store.path}/config/versions/{version}")
    back = store.roll_back(version)

    assert read.status == 404
    assert back.status in (400, 404)
    assert made(store.config())["version"] == "v1"


@pytest.mark.parametrize("query", ["", "   ", "?!", "x" * 2001])
def test_a_search_needs_words(store: Store, query: str) -> None:
    answer = store.search(query)

    assert (answer.status, answer.param) == (400, "query")


@pytest.mark.parametrize("least", [-0.1, 1.1, "0.5"])
def test_a_similarity_is_from_0_to_1(store: Store, least: Any) -> None:
    assert store.search("a", min_similarity=least).param == "min_similarity"
    assert store.search("a", threshold=least).param == "threshold"
    both = store.search("a", min_similarity=0.5, threshold=0.6)
    assert both.param == "threshold"


def test_hostile_text_comes_back_as_it_was(store: Store) -> None:
    key, value = "=SUM(A1)<b>\u202e", "<script>alert(1)</script>\u202e=1+1\0"
    made(store.write(key, value))

    assert made(store.read(key))["value"] == value
    assert made(store.listed(full="true"))["data"][0]["value"] == value
