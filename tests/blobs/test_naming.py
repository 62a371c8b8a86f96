"""Versions name files by their bytes, and have them as long as they are kept."""

from typing import Any

import pytest

from apps.timeline.bodies import files
from tests.blobs.conftest import file, sha256, upload
from tests.conftest import Api
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db

REPORT, DRAFT, IMAGE = b"the report", b"a draft", b"\x89PNG"


@pytest.fixture
def run(begin: Begin, api: Clients) -> Run:
    """A session whose version 1 has two files, of three chunks."""
    client = api()
    for data in (REPORT, DRAFT, IMAGE):
        upload(client, data)
    made = begin({"step": 0}, client=client)
    made.patch(
        {"step": 1},
        artifacts=[
            file("out/report.txt", REPORT, DRAFT, mode=420, media_type="text/plain"),
            {"image": "sandbox@sha256:" + "0" * 64},
            file("chart.png", IMAGE, caption="What it drew"),
        ],
    )
    return made


def read(run: Run, number: int, path: str, **headers: str) -> Any:
    return run.client.send(
        "GET", run.path("versions", number, "files", path), headers=headers
    )


def paths(run: Run, number: int) -> list[str]:
    return [one["path"] for one in run.get("versions", number, "files")["data"]]


def test_files_are_listed_and_read_byte_by_byte(run: Run) -> None:
    listed = run.get("versions", 1, "files")

    assert [one["path"] for one in listed["data"]] == ["out/report.txt", "chart.png"]
    assert listed["data"][0] == {
        "object": "file",
        "path": "out/report.txt",
        "size": len(REPORT + DRAFT),
        "mode": 420,
        "media_type": "text/plain",
        "caption": None,
        "chunks": [
            {"sha256": sha256(REPORT), "size": len(REPORT)},
            {"sha256": sha256(DRAFT), "size": len(DRAFT)},
        ],
    }
    answer = read(run, 1, "out/report.txt")
    assert (answer.status, answer.content) == (200, REPORT + DRAFT)
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == "attachment"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert run.get("checkpoint")["artifacts"][1]["image"].startswith("sandbox@")


def test_what_was_kept_before_there_were_rules_is_data(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = {"path": "../x", "chunks": [{"sha256": "no", "size": "many"}]}
    with monkeypatch.context() as patch:
        patch.setattr(files, "check", lambda artifacts: None)
        run.patch({"step": 2}, artifacts=[odd, file("a", DRAFT), {"chunks": None}])

    run.patch({"step": 3})

    assert (paths(run, 3), read(run, 3, "a").content) == (["a"], DRAFT)
    assert run.get("checkpoint", version=3)["artifacts"][0] == odd


def test_pages_of_files_go_on_after_a_path(run: Run) -> None:
    first = run.get("versions", 1, "files", limit=1)
    rest = run.get("versions", 1, "files", starting_after=first["last_id"])

    assert (first["has_more"], first["total"]) == (True, 2)
    assert [one["path"] for one in rest["data"]] == ["chart.png"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [("bytes=2-11", (2, 12)), ("bytes=-4", (13, 17)), ("bytes=12-", (12, 17))],
)
def test_a_range_crosses_chunks(run: Run, asked: str, found: tuple[int, int]) -> None:
    whole = REPORT + DRAFT

    answer = read(run, 1, "out/report.txt", Range=asked)

    assert (answer.status, answer.content) == (206, whole[slice(*found)])
    said = f"bytes {found[0]}-{found[1] - 1}/{len(whole)}"
    assert answer.headers["Content-Range"] == said


def test_a_range_behind_the_end_is_refused_and_nonsense_is_ignored(run: Run) -> None:
    answer = read(run, 1, "chart.png", Range="bytes=4-")
    assert_refused(answer, 416, "range_not_satisfiable", "Range")

    assert read(run, 1, "chart.png", Range="bytes=0-0,2-3").content == IMAGE
    assert read(run, 1, "chart.png", Range="lines=1-2").content == IMAGE


def test_what_is_not_there_or_not_mine_is_not_found(
    run: Run, api: Clients, make_key: Keys
) -> None:
    assert_refused(read(run, 1, "other.txt"), 404, "file_not_found")
    assert_refused(read(run, 0, "chart.png"), 404, "file_not_found")
    assert_refused(read(run, 7, "chart.png"), 404, "version_not_found")
    for client in (api(make_key(agents=["billing"])), api()):
        path = run.path("versions", 1, "files", "chart.png")
        other = client.get(path.replace(run.id, "sess_" + "0" * 26))
        assert_refused(other, 404, "session_not_found")
    limited = api(make_key(agents=["billing"]))
    assert limited.get(run.path("versions", 1, "files")).code == "session_not_found"
    assert api(None).get(run.path("versions", 1, "files")).status == 401


def test_an_update_a_rollback_and_a_fork_have_the_files_of_their_state(
    run: Run,
) -> None:
    run.patch({"step": 2})
    run.patch({"step": 3}, artifacts=[])
    run.rollback(2)
    fork = run.fork(version=1)

    assert paths(run, 2) == paths(run, 4) == paths(fork, 0) == paths(run, 1)
    assert paths(run, 3) == []
    assert read(fork, 0, "chart.png").content == IMAGE


def test_what_is_not_uploaded_is_named_and_nothing_is_stored(run: Run) -> None:
    named = [file("chart.png", IMAGE), file("b", b"unknown"), file("c", b"neither")]

    for verb, path, body in (
        ("PATCH", "state", {"artifacts": named}),
        ("PUT", "state", {"state": {}, "artifacts": named}),
        ("POST", "fork", {"artifacts": named}),
        ("POST", "turns", {"input": "a", "output": "b", "artifacts": named}),
        ("POST", "versions", {"versions": [{"state": {}, "artifacts": named}]}),
    ):
        answer = run.client.send(verb, run.path(path), body)
        assert_refused(answer, 422, "blob_missing", "artifacts")
        listed = answer.body["error"]["digests"]
        assert listed == sorted([sha256(b"unknown"), sha256(b"neither")])
    assert run.head == 1


def test_a_repetition_is_answered_whatever_was_collected_since(run: Run) -> None:
    body = {"state": {"step": 2}, "artifacts": [file("chart.png", IMAGE)]}
    first = run.client.patch(run.path("state"), body, Idempotency_Key="k")
    again = run.client.patch(run.path("state"), body, Idempotency_Key="k")
    unknown = {"artifacts": [file("b", b"unknown")]}
    other = run.client.patch(run.path("state"), unknown, Idempotency_Key="l")

    assert (first.status, again.status) == (200, 200)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert_refused(other, 422, "blob_missing")


def test_a_result_by_reference_is_held_as_a_file_is(run: Run) -> None:
    kept = {"call_1": {"ref": "stdout", "digest": sha256(REPORT)}}
    run.patch({"step": 2}, tool_results=kept)
    lost = {"call_1": {"ref": "stdout", "digest": sha256(b"unknown")}}
    answer = run.client.patch(run.path("state"), {"tool_results": lost})
    assert_refused(answer, 422, "blob_missing")

    # What another tool says of images, say, is data as it was.
    run.patch({"step": 3}, tool_results={"a": {"ref": "main", "digest": "sha256:1"}})


def test_a_large_value_of_a_turn_is_kept_and_answered_with_advice(run: Run) -> None:
    plain = run.turn("Hi", "Hello")
    large = run.turn("Hi", "x" * 300_000)

    assert "advice" not in plain
    assert large["advice"].startswith("output over 256 KiB: upload what is large")
    assert run.get("turns", large["id"])["output"]["content"] == "x" * 300_000


def test_a_key_for_some_agents_names_what_it_uploaded_or_builds_on(
    run: Run, api: Clients, make_key: Keys
) -> None:
    limited = Run(api(make_key(agents=["travel"])), run.made)
    upload(run.client, b"another's")
    upload(limited.client, b"its own")

    limited.patch({"step": 2}, artifacts=[file("a", IMAGE), file("b", b"its own")])
    body = {"artifacts": [file("a", b"another's")]}
    for method, path in (("PATCH", "state"), ("POST", "fork")):
        answer = limited.client.send(method, limited.path(path), body)
        assert_refused(answer, 422, "blob_missing")
        assert answer.body["error"]["digests"] == [sha256(b"another's")]


def test_a_chunk_of_another_size_than_its_blob_is_refused(run: Run) -> None:
    named = file("a", IMAGE)
    named["chunks"][0]["size"] += 1

    answer = run.client.patch(run.path("state"), {"artifacts": [named]})

    assert_refused(answer, 422, "unacceptable_json", "artifacts")


@pytest.mark.parametrize(
    ("path", "place"),
    [
        *((one, "/artifacts/0/path") for one in ("", "/etc/passwd", "a/../b", "..")),
        *((one, "/artifacts/0/path") for one in ("a//b", "./a", "a/", "..\\b")),
        *((one, "/artifacts/0/path") for one in ("é" * 513, 7, None)),
    ],
)
def test_a_path_that_may_lead_elsewhere_is_refused(
    run: Run, path: Any, place: str
) -> None:
    answer = run.client.patch(run.path("state"), {"artifacts": [file(path)]})

    assert_refused(answer, 422, "unacceptable_json", place)


@pytest.mark.parametrize(
    ("one", "other"),
    [("a.txt", "A.txt"), ("caf\u00e9", "cafe\u0301"), ("a", "a"), ("a", "a/b")],
)
def test_paths_that_some_system_takes_for_one_are_refused(
    run: Run, one: str, other: str
) -> None:
    named = [file(one), file(other)]
    answer = run.client.patch(run.path("state"), {"artifacts": named})

    assert_refused(answer, 422, "unacceptable_json", "/artifacts/1/path")


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"mode": 0o4755}, "mode"),
        ({"mode": True}, "mode"),
        ({"size": 5}, "size"),
        ({"media_type": 3}, "media_type"),
        ({"caption": "a" * 1_001}, "caption"),
        ({"owner": "root"}, "owner"),
        ({"chunks": {}}, "chunks"),
        ({"chunks": [{"sha256": "x", "size": 1}]}, "chunks/0/sha256"),
        ({"chunks": [{"sha256": "0" * 64, "size": 0}]}, "chunks/0/size"),
        ({"chunks": [{"sha256": "0" * 64}]}, "chunks/0"),
    ],
)
def test_what_is_no_file_is_refused_with_its_place(
    run: Run, said: dict[str, Any], place: str
) -> None:
    named = [{"uri": "s3://anything"}, file("a") | said]
    answer = run.client.patch(run.path("state"), {"artifacts": named})

    assert_refused(answer, 422, "unacceptable_json", f"/artifacts/1/{place}")


def test_more_than_a_version_takes_is_refused(run: Run) -> None:
    largest = {"sha256": "0" * 64, "size": 8 * 1024 * 1024}
    files = [{"path": f"f{n}", "chunks": [largest] * 4_097} for n in range(2)]
    answer = run.client.patch(run.path("state"), {"artifacts": files})
    assert_refused(answer, 422, "unacceptable_json", "/artifacts/1")

    many = [{"path": f"f{n}", "chunks": []} for n in range(10_001)]
    answer = run.client.patch(run.path("state"), {"artifacts": many})
    assert_refused(answer, 422, "unacceptable_json", "/artifacts/10000")


def test_no_key_writes_what_a_reader_may_not(
    run: Run, api: Clients, make_key: Keys
) -> None:
    reader: Api = api(make_key(scope="read"))

    assert reader.get(run.path("versions", 1, "files")).status == 200
    body = {"artifacts": [file("chart.png", IMAGE)]}
    assert reader.patch(run.path("state"), body).code == "permission_denied"
