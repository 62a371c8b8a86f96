"""Files in an S3-compatible store, and when it fails."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from apps.blobs import places
from apps.core.objects import opened
from tests.blobs.conftest import file, put, sha256, upload
from tests.s3 import Proxy, running
from tests.timeline.runs import Begin, Clients, assert_refused

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def server() -> Iterator[Proxy]:
    with running() as proxy:
        yield proxy


@pytest.fixture
def proxy(
    server: Proxy, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Proxy]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    settings.OBJECTS = server.store(tmp_path.name)
    # So long nobody has to wait in a test.
    hasty = partial(opened, timeout=timedelta(seconds=0.3), retries=0)
    monkeypatch.setattr(places, "opened", hasty)
    yield server
    server.fault, server.times = "", -1


@pytest.mark.parametrize("fault", ["500", "hang", "cut", "lost"])
def test_a_store_that_fails_loses_nothing_and_asking_again_goes_on(
    begin: Begin, api: Clients, proxy: Proxy, fault: str
) -> None:
    client, kept, cut = api(), b"kept " * 9, b"cut " * 9
    upload(client, kept)
    run = begin({}, client=client, artifacts=[file("kept", kept)])
    proxy.fault = fault

    answer = put(client, cut)

    if answer.status != 201:  # the object is whole, and only its answer was cut
        assert_refused(answer, 503, "service_unavailable")
        assert answer.headers["Retry-After"]
    if fault != "lost":
        read = client.get(run.path("versions", 0, "files", "kept"))
        assert_refused(read, 503, "service_unavailable")
    proxy.fault = ""
    asked = {"digests": [sha256(kept), sha256(cut)]}
    for digest in client.post("/v1/blobs/missing", asked).body["missing"]:
        assert put(client, cut, digest).status == 201
    run.patch({"n": 1}, artifacts=[file("kept", kept), file("cut", cut)])
    for name, data in (("kept", kept), ("cut", cut)):
        assert client.get(run.path("versions", 1, "files", name)).content == data


def test_an_upload_whose_first_answer_was_lost_is_kept_by_the_second(
    api: Clients, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The object of the first try is there: by its name it can be no other."""
    monkeypatch.setattr(places, "opened", opened)
    client, data = api(), b"asked for twice"
    proxy.fault, proxy.times = "late", 1

    assert put(client, data).status == 201

    assert proxy.times == 0
    made = {"agent_id": "checkout", "initial_state": {}, "artifacts": [file("f", data)]}
    begun = client.post("/v1/sessions", made)
    read = client.get(f"/v1/sessions/{begun.body['id']}/versions/0/files/f")
    assert read.content == data
