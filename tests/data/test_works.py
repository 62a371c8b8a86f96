"""Agents' data and config over REST: what each verb does and answers."""

from tests.data.conftest import Store, made


def test_a_value_is_written_and_read(store: Store) -> None:
    written = made(store.write("user:1:pref", "dark", metadata={"n": 1.0, "m": None}))

    read = made(store.at("user:1:pref"))

    assert written["allowed"] is True
    assert "blocked_by" not in written
    assert written["audit_id"].startswith("aud_")
    assert (written["version"], written["number"]) == (1, 1)
    assert read["value"] == read["entry"]["value"] == "dark"
    assert store.at("user:1:pref").content.count(b'"n":1.0') == 2
    assert (read["created_at"], read["updated_at"]) == (
        written["created_at"],
        written["created_at"],
    )
    assert read["audit_id"].startswith("aud_")
    assert read["audit_id"] != written["audit_id"]


def test_it_is_read_under_every_address(store: Store) -> None:
    made(store.write("a/b c:ü", "v"))

    values = {
        made(store.at(path))["value"] for path in ("a/b%20c:%C3%BC", "a/b c:ü/full")
    }

    assert values == {"v"}
    assert made(store.read("a/b c:ü"))["value"] == "v"
    bare = Store(store.client, root="")
    assert made(bare.at("a/b c:ü"))["value"] == "v"


def test_keys_are_listed_in_order_page_by_page(store: Store) -> None:
    made(store.batch([{"key": f"k:{n}", "value": "v" * n} for n in range(5)]))
    made(store.write("z"))

    first = made(store.listed(prefix="k:", limit=3))
    rest = made(store.listed(prefix="k:", limit=3, cursor=first["next_cursor"]))

    assert [one["key"] for one in first["data"]] == ["k:0", "k:1", "k:2"]
    assert first["keys"][0] == {"key": "k:0"}
    assert (first["has_more"], first["total"]) == (True, 5)
    assert [one["key"] for one in rest["data"]] == ["k:3", "k:4"]
    assert (rest["has_more"], rest["next_cursor"]) == (False, None)
    assert store.keys(offset=4) == ["k:4", "z"]
    assert made(store.listed(full="true", prefix="k:2"))["data"][0]["value"] == "vv"
    below = made(store.client.get(f"{store.path}/data/prefix/k:"))
    assert [one["key"] for one in below["data"]] == [f"k:{n}" for n in range(5)]


def test_a_key_is_deleted_and_stays_in_history(store: Store) -> None:
    made(store.write("a", "1", reasoning="first"))
    made(store.write("a", "2"))

    deleted = made(store.delete("a"))

    assert (deleted["success"], deleted["deleted"], deleted["deleted_count"]) == (
        True,
        1,
        1,
    )
    assert (store.at("a").status, store.at("a").code) == (404, "key_not_found")
    past = made(store.versions("a"))["data"]
    assert [(one["version"], one["cause"], one["value"]) for one in past] == [
        (3, "removed", None),
        (2, "set", "2"),
        (1, "set", "1"),
    ]
    assert past[-1]["reasoning"] == "first"
    assert made(store.read("a", at=1))["value"] == "1"
    assert made(store.listed(at=2, full="true"))["data"][0]["value"] == "2"


def test_a_prefix_is_deleted_and_counted(store: Store) -> None:
    made(store.batch([{"key": key, "value": "v"} for key in ("a:1", "a:2", "b")]))

    assert made(store.delete_prefix("a:"))["deleted_count"] == 2
    assert made(store.delete_prefix("c:"))["deleted"] == 0
    assert store.keys() == ["b"]
    below = store.client.delete(f"{store.path}/data/prefix/b")
    assert made(below)["deleted"] == 1


def test_a_batch_writes_in_order(store: Store) -> None:
    body = made(store.batch([{"key": "a", "value": "1"}, {"key": "a", "value": "2"}]))

    assert [one["version"] for one in body["results"]] == [1, 2]
    assert body["summary"] == {"total": 2, "allowed": 2, "blocked": 0}
    assert made(store.at("a"))["value"] == "2"
    older = made(store.batch([{"key": "b", "value": "v"}], name="items"))
    assert older["results"][0]["allowed"] is True


def test_values_are_searched_by_words(store: Store) -> None:
    made(store.write("user:1", "Prefers dark mode in the evening"))
    made(store.write("user:2", "Prefers light mode"))

    found = made(store.search("dark mode", method="words"))
    near = made(store.search("dark mode", method="words", threshold=0.5, limit=5))

    assert [one["key"] for one in found["results"]] == ["user:1"]
    assert found["results"][0]["similarity"] == 1.0
    assert (found["method"], found["truncated"]) == ("words", False)
    assert [one["key"] for one in near["results"]] == ["user:1", "user:2"]


def test_a_config_has_versions(store: Store) -> None:
    assert made(store.config())["version"] == "v0"
    first = made(store.configure({"behavior": {"instructions": "Be kind"}}))
    again = made(store.configure({"behavior": {"instructions": "Be kind"}}))
    second = made(store.configure({"policies": {"block_pii": True}}))

    assert (first["version"], first["previous_version"]) == ("v1", "v0")
    assert again == first
    assert (second["version"], second["previous_version"]) == ("v2", "v1")
    assert second["config"] == {"policies": {"block_pii": True}}
    assert made(store.config()) == second
    listed = made(store.client.get(f"{store.path}/config/versions"))
    assert [one["version"] for one in listed["data"]] == ["v2", "v1"]
    old = made(store.client.get(f"{store.path}/config/versions/v1"))
    assert old["config"] == first["config"]


def test_a_config_is_rolled_back(store: Store) -> None:
    made(store.configure({"a": 1}))
    made(store.write("k"))
    made(store.configure({"a": 2}))

    third = made(store.roll_back("v1"))
    same = made(store.roll_back("v1"))
    none = made(store.client.post(f"{store.path}/config/rollback", {"version": "v0"}))

    assert (third["version"], third["config"]) == ("v3", {"a": 1})
    assert same == third
    assert (none["version"], none["config"]) == ("v4", {})
    assert made(store.at("k"))["value"] == "v"
    assert made(store.configure({"a": 3}))["version"] == "v5"


def test_a_blocked_write_is_an_answer(store: Store) -> None:
    made(store.policies(block_pii=True))

    answer = store.write("note", "mail ann@example.com")

    assert answer.status == 200
    body = answer.body
    assert (body["allowed"], body["blocked_by"]) == (False, "policy:block_pii")
    assert body["reason"] == body["message"]
    assert (body["version"], body["number"]) == (None, None)
    assert store.at("note").status == 404
