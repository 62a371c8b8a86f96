"""Objects: the same in a folder and in an S3-compatible store, and when it fails."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from apps.core.objects import AddressRefused, Objects, ObjectsAway, ObjectTaken, opened
from tests.s3 import Proxy, running


@pytest.fixture(scope="module")
def server() -> Iterator[Proxy]:
    with running() as proxy:
        yield proxy


@pytest.fixture
def proxy(server: Proxy, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    yield server
    server.fault, server.times = "", -1


@pytest.fixture(params=["folder", "s3"])
def objects(request: pytest.FixtureRequest, proxy: Proxy, tmp_path: Path) -> Objects:
    if request.param == "folder":
        return opened(str(tmp_path / "objects"))
    return opened(proxy.store(tmp_path.name))


def test_what_is_created_is_read_whole_in_part_and_listed(objects: Objects) -> None:
    objects.create("a/1.note", b"0123456789")
    objects.create("a/2.note", b"")
    objects.create("b/3.note", b"three")

    assert objects.get("a/1.note") == b"0123456789"
    assert objects.get("a/2.note") == b""
    assert objects.range("a/1.note", 3, 4) == b"3456"
    assert objects.range("a/1.note", 8, 40) == b"89"
    assert sorted(objects.list()) == ["a/1.note", "a/2.note", "b/3.note"]
    assert sorted(objects.list("a")) == ["a/1.note", "a/2.note"]


def test_what_is_not_there_is_none(objects: Objects) -> None:
    assert objects.get("nothing") is None
    assert objects.range("nothing", 0, 1) is None
    assert list(objects.list("nothing")) == []
    objects.delete("nothing")


def test_an_object_is_written_once(objects: Objects) -> None:
    objects.create("a", b"first")

    with pytest.raises(ObjectTaken):
        objects.create("a", b"second")

    assert objects.get("a") == b"first"


def test_what_is_deleted_is_gone_and_its_name_is_free(objects: Objects) -> None:
    objects.create("a", b"first")
    objects.delete("a")
    assert objects.get("a") is None

    objects.create("a", b"second")

    assert objects.get("a") == b"second"


@pytest.mark.parametrize("fault", ["500", "hang", "cut"])
def test_a_store_that_fails_is_away_and_no_object_is_missing(
    proxy: Proxy, tmp_path: Path, fault: str
) -> None:
    store = opened(proxy.store(tmp_path.name), timeout=timedelta(seconds=0.3))
    store.create("a", b"kept")
    proxy.fault = fault

    with pytest.raises(ObjectsAway):
        store.get("a")
    with pytest.raises(ObjectsAway):
        list(store.list())

    proxy.fault = ""
    assert store.get("a") == b"kept"


def test_a_create_whose_answer_was_lost_is_found_taken(
    proxy: Proxy, tmp_path: Path
) -> None:
    store = opened(proxy.store(tmp_path.name), timeout=timedelta(seconds=2))
    proxy.fault, proxy.times = "lost", 1

    # The library tries once more, and finds what it has written itself.
    with pytest.raises((ObjectTaken, ObjectsAway)):
        store.create("a", b"kept")

    assert store.get("a") == b"kept"


def test_a_store_that_nobody_serves_is_away_soon(tmp_path: Path) -> None:
    store = opened("s3://kept/notes?endpoint=http://127.0.0.1:9&region=us-east-1")

    with pytest.raises(ObjectsAway):
        store.get("a")


@pytest.mark.parametrize(
    "address",
    ["", "gs://bucket", "s3://", "s3://user:word@bucket/x", "s3://bucket?secret=1"],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(AddressRefused):
        opened(address)


def test_a_bucket_that_is_not_there_is_a_store_that_is_away(proxy: Proxy) -> None:
    objects = opened(proxy.store().replace("s3://kept/", "s3://gone/"))
    with pytest.raises(ObjectsAway):
        objects.get("a")
    with pytest.raises(ObjectsAway):
        objects.range("a", 0, 1)
    with pytest.raises(ObjectsAway):
        objects.delete("a")
