"""A folder and a bucket keep files alike; a bucket is served by moto, over HTTP."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from apps.backups.errors import BackupFailed
from apps.backups.places import PIECE, Bucket, Directory, Place, digest, place

BUCKET = "backups"
NAME = "stepback-20261126T020000Z.backup"
# More than one part of an upload in parts.
LARGE = bytes(range(256)) * (11 * PIECE // 256)


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """Serve S3 on loopback; return its address."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def use(address: str, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("AWS_ENDPOINT_URL", address)
    patch.setenv("AWS_ACCESS_KEY_ID", "test")
    patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    patch.setenv("AWS_REGION", "us-east-1")


@pytest.fixture(params=["folder", "bucket"])
def kept(
    request: pytest.FixtureRequest,
    store: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Place]:
    if request.param == "folder":
        yield place(str(tmp_path / "place" / "below"))
        return
    use(store, monkeypatch)
    import boto3

    made = boto3.client("s3", endpoint_url=store)
    made.create_bucket(Bucket=BUCKET)
    yield place(f"s3://{BUCKET}/nightly")
    for one in made.list_objects(Bucket=BUCKET).get("Contents", []):
        assert one["Key"].startswith("nightly/")
        made.delete_object(Bucket=BUCKET, Key=one["Key"])


def written(tmp_path: Path, data: bytes) -> Path:
    file = tmp_path / "file"
    file.write_bytes(data)
    return file


@pytest.mark.parametrize("data", [b"", b"short", LARGE], ids=["none", "short", "large"])
def test_what_is_put_is_read_back(data: bytes, kept: Place, tmp_path: Path) -> None:
    assert kept.names() == []

    kept.put(NAME, written(tmp_path, data))

    assert kept.names() == [NAME]
    assert b"".join(kept.read(NAME)) == data
    assert digest(kept, NAME)[1] == len(data)


def test_what_is_deleted_is_gone_and_deleting_it_again_is_no_error(
    kept: Place, tmp_path: Path
) -> None:
    kept.put(NAME, written(tmp_path, b"short"))
    kept.delete(NAME)
    kept.delete(NAME)

    assert kept.names() == []
    with pytest.raises(BackupFailed, match="Cannot read"):
        list(kept.read(NAME))


def test_a_folder_never_takes_the_place_of_a_file(tmp_path: Path) -> None:
    kept = Directory(tmp_path / "place")
    kept.put(NAME, written(tmp_path, b"first"))

    with pytest.raises(BackupFailed, match="exists"):
        kept.put(NAME, written(tmp_path, b"second"))
    assert b"".join(kept.read(NAME)) == b"first"
    assert [one.name for one in kept.path.iterdir()] == [NAME]


class Refusing(http.server.BaseHTTPRequestHandler):
    """Answers everything with 500, as a store that is down behind a proxy."""

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(500)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def test_a_store_that_is_down_is_told_of_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        use(f"http://127.0.0.1:{server.server_port}", monkeypatch)
        kept = Bucket.of(f"s3://{BUCKET}/nightly")
        for doing in (
            lambda: kept.put(NAME, written(tmp_path, b"short")),
            kept.names,
            lambda: list(kept.read(NAME)),
        ):
            with pytest.raises(BackupFailed, match=f"Cannot .*s3://{BUCKET}") as told:
                doing()
            assert len(str(told.value).splitlines()) == 1
        server.shutdown()
