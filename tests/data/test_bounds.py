"""What bounds reads and searches of agents' data."""

from typing import Any

from django.db import transaction

from apps.data.documents import enforcing
from apps.data.operations import reading, searching
from tests.data.conftest import Store, made


def test_a_page_with_values_ends_where_they_are_many_bytes(
    store: Store, monkeypatch: Any
) -> None:
    monkeypatch.setattr(reading, "PAGE_BYTES", 250)
    made(store.batch([{"key": f"k{n}", "value": "x" * 100} for n in range(5)]))

    pages, cursor = [], {}
    while True:
        page = made(store.listed(full="true", **cursor))
        pages.append([one["key"] for one in page["data"]])
        if not page["has_more"]:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert pages == [["k0", "k1"], ["k2", "k3"], ["k4"]]
    assert store.keys() == ["k0", "k1", "k2", "k3", "k4"]


def test_one_value_is_always_shown(store: Store, monkeypatch: Any) -> None:
    monkeypatch.setattr(reading, "PAGE_BYTES", 1)
    made(store.write("a", "long"))
    made(store.write("a", "longer"))

    assert made(store.listed(full="true"))["data"][0]["value"] == "longer"
    first = made(store.versions("a"))
    rest = made(store.versions("a", cursor=first["next_cursor"]))
    shown = [one["value"] for one in (*first["data"], *rest["data"])]
    assert shown == ["longer", "long"]


def test_keys_are_counted_up_to_a_limit(store: Store, monkeypatch: Any) -> None:
    monkeypatch.setattr(reading, "MOST_COUNTED", 3)
    made(store.batch([{"key": f"k{n}", "value": "v"} for n in range(5)]))

    assert made(store.listed(limit=2))["total"] == 3
    assert made(store.listed(prefix="k4"))["total"] == 1


def test_a_search_says_where_it_did_not_look(store: Store, monkeypatch: Any) -> None:
    monkeypatch.setattr(searching, "AT_ONCE", 2)
    monkeypatch.setattr(searching, "MOST_KEYS", 3)
    made(store.batch([{"key": f"k{n}", "value": "word"} for n in range(5)]))

    found = made(store.search("word", method="words"))
    narrow = made(store.search("word", prefix="k4", method="words"))

    assert [one["key"] for one in found["results"]] == ["k0", "k1", "k2"]
    assert found["truncated"] is True
    assert [one["key"] for one in narrow["results"]] == ["k4"]
    assert narrow["truncated"] is False


def test_history_goes_on_page_by_page(store: Store) -> None:
    for number in range(5):
        made(store.write("a", str(number)))

    first = made(store.versions("a", limit=3))
    rest = made(store.versions("a", limit=3, cursor=first["next_cursor"]))

    assert [one["value"] for one in first["data"]] == ["4", "3", "2"]
    assert [one["value"] for one in rest["data"]] == ["1", "0"]
    assert (first["has_more"], rest["has_more"]) == (True, False)
    assert store.versions("nothing").code == "key_not_found"


def test_configs_go_on_page_by_page(store: Store) -> None:
    for number in range(5):
        made(store.configure({"n": number}))
    path = f"{store.path}/config/versions"

    first = made(store.client.get(path, {"limit": 3}))
    rest = made(store.client.get(path, {"limit": 3, "cursor": first["next_cursor"]}))

    assert [one["version"] for one in first["data"]] == ["v5", "v4", "v3"]
    assert [one["version"] for one in rest["versions"]] == ["v2", "v1"]
    assert rest["next_cursor"] is None


def test_a_process_remembers_so_many_patterns(store: Store, monkeypatch: Any) -> None:
    fresh = enforcing._Remembered()
    monkeypatch.setattr(enforcing, "_remembered", fresh)
    monkeypatch.setattr(enforcing, "MOST_REMEMBERED", 5)
    patterns = [{"name": f"p{n}", "regex": f"secret{n}"} for n in range(3)]

    for number in range(4):
        made(
            store.policies(custom_blocked_patterns=patterns, retention_days=number + 1)
        )
        assert not made(store.write("a", "secret1"))["allowed"]
        assert made(store.write("a", f"fine {number}"))["allowed"]

    assert len(fresh._rules) == 1
    assert fresh._weight == 4


def test_rules_of_a_config_that_was_rolled_back_are_not_remembered(
    store: Store,
) -> None:
    """Its number is given to another one."""

    def taken_back() -> None:
        with transaction.atomic():
            made(store.policies(block_pii=True))
            assert not made(store.write("a", "ann@example.com"))["allowed"]
            transaction.set_rollback(True)

    taken_back()
    made(store.policies(block_secrets=True))

    assert made(store.write("a", "ann@example.com"))["allowed"]
