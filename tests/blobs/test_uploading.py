"""Blobs are uploaded once, by their SHA-256, and asked for before."""

from pathlib import Path
from typing import Any

import pytest

from apps.accounts.models import Project
from apps.blobs import places
from apps.blobs.words import MAX_BLOB_BYTES
from apps.core.objects import ObjectsAway, StoreFull
from tests.blobs.conftest import objects_in, put, sha256, upload
from tests.timeline.runs import Clients, Keys, assert_refused

pytestmark = pytest.mark.django_db


def missing(client: Any, *digests: str) -> list[str]:
    answer = client.post("/v1/blobs/missing", {"digests": list(digests)})
    assert answer.status == 200, answer.content
    found: list[str] = answer.body["missing"]
    return found


def test_what_is_missing_is_uploaded_and_then_there(api: Clients, store: Path) -> None:
    client, one, other = api(), b"one", b"other"
    assert missing(client, sha256(one), sha256(other)) == [sha256(one), sha256(other)]

    answer = put(client, one)

    assert answer.status == 201
    assert (answer.body["sha256"], answer.body["size"]) == (sha256(one), 3)
    assert missing(client, sha256(one), sha256(other)) == [sha256(other)]
    (kept,) = objects_in(store)
    assert (store / kept).read_bytes() == one


def test_uploading_again_keeps_it_on_and_changes_nothing(
    api: Clients, store: Path
) -> None:
    client = api()
    upload(client, b"one")
    kept = objects_in(store)

    assert put(client, b"one").status == 200
    assert objects_in(store) == kept


def test_nothing_is_a_blob_too(api: Clients) -> None:
    assert put(api(), b"").status == 201


def test_bytes_that_are_not_what_the_address_says_are_not_kept(
    api: Clients, store: Path
) -> None:
    answer = put(api(), b"one", sha256(b"other"))

    assert_refused(answer, 422, "digest_mismatch", "sha256")
    assert not objects_in(store)


@pytest.mark.parametrize("digest", ["A" * 64, "a" * 63, "..", "a" * 65])
def test_what_is_no_digest_is_refused(api: Clients, digest: str) -> None:
    asked = {"digests": [sha256(b"one"), digest]}

    assert put(api(), b"one", digest).status in (400, 404)
    answer = api().post("/v1/blobs/missing", asked)
    assert_refused(answer, 400, "invalid_request", "/digests/1")


def test_what_is_too_large_or_too_much_is_refused(api: Clients, store: Path) -> None:
    answer = put(api(), bytes(MAX_BLOB_BYTES + 1))
    assert_refused(answer, 413, "payload_too_large")
    assert not objects_in(store)

    asked = {"digests": [f"{number:064x}" for number in range(1_001)]}
    answer = api().post("/v1/blobs/missing", asked)
    assert_refused(answer, 400, "invalid_request", "digests")


def test_a_key_for_some_agents_is_told_of_its_own_alone(
    api: Clients, make_key: Keys
) -> None:
    upload(api(), b"ours")
    billing, travel = (api(make_key(agents=[one])) for one in ("billing", "travel"))

    assert missing(billing, sha256(b"ours")) == [sha256(b"ours")]
    # Who has the bytes may name them.
    assert put(billing, b"ours").status == 201
    assert missing(billing, sha256(b"ours")) == []
    assert missing(travel, sha256(b"ours")) == [sha256(b"ours")]


def test_sending_bytes_tells_no_key_that_another_agent_has_them(
    api: Clients, make_key: Keys, store: Path
) -> None:
    billing, travel = (api(make_key(agents=[one])) for one in ("billing", "travel"))
    assert put(billing, b"a guess").status == 201

    assert put(travel, b"a guess").status == 201

    assert put(travel, b"a guess").status == put(billing, b"a guess").status == 200
    assert len(objects_in(store)) == 1


def test_another_project_has_blobs_of_its_own(
    api: Clients, make_key: Keys, other_project: Project
) -> None:
    upload(api(), b"ours")
    stranger = api(make_key(project=other_project))

    assert missing(stranger, sha256(b"ours")) == [sha256(b"ours")]
    assert put(stranger, b"ours").status == 201


def test_who_may_only_read_or_is_nobody_uploads_nothing(
    api: Clients, make_key: Keys, store: Path
) -> None:
    assert put(api(make_key(scope="read")), b"one").code == "permission_denied"
    assert put(api(None), b"one").status == 401
    assert api().post(f"/v1/blobs/{sha256(b'one')}", {}).status == 405
    assert not objects_in(store)


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (ObjectsAway("nobody there"), 503, "service_unavailable"),
        (StoreFull("no space"), 507, "insufficient_storage"),
    ],
)
def test_a_store_that_is_away_or_full_is_said_and_nothing_is_known(
    api: Clients,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
    status: int,
    code: str,
) -> None:
    def refuse(*_: Any) -> None:
        raise fault

    client = api()
    with monkeypatch.context() as patch:
        patch.setattr("apps.core.objects.store.Objects.create", refuse)
        answer = put(client, b"one")

    assert_refused(answer, status, code)
    assert int(answer.headers["Retry-After"]) > 0
    assert missing(client, sha256(b"one")) == [sha256(b"one")]
    assert places.store() is places.store()
