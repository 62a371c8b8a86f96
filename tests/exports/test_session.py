"""A session as an archive: versions, parts, turns, files, and what proves it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Scope
from apps.core.notes.signed import SigningKey
from apps.core.roles.names import Role
from apps.exports.kinds import files
from apps.exports.kinds import made as making_of
from apps.exports.making import sweeping
from apps.exports.models import Export
from apps.timeline.api.trajectories import pages
from apps.timeline.models import Turn
from apps.witness import signing
from stepback.proofs import verify_proof
from tests.acting import acting_as
from tests.blobs.conftest import file as a_file
from tests.blobs.conftest import sha256, upload
from tests.conftest import Api
from tests.exports.reading import EXPORTS, Sweep, entries, left_out, made, objects
from tests.timeline import runs
from tests.timeline.damage import Place, damage, flipped
from tests.timeline.keeping.gaps import with_gaps
from tests.timeline.runs import assert_refused, begin

pytestmark = pytest.mark.django_db


def test_it_has_versions_with_their_parts_turns_and_files(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    client, data = api(), b"report " * 20
    upload(client, data)
    run = begin(client, {"n": 0})
    run.patch({"n": 1}, artifacts=[a_file("out/report.txt", data)], reasoning="Wrote")
    run.turn("Book it", "Booked", state_after={"n": 2})
    run.post("versions/1/labels", {"label": "good"})
    run.post("rollback", {"version": 1})

    export = made(admin, sweep, "session", session_id=run.id, unmasked=True)
    found = entries(admin, export)

    (session,) = objects(found, "session.json")
    assert (session["id"], session["version"]) == (run.id, 3)
    versions = objects(found, "versions/")
    assert [one["state"]["n"] for one in versions] == [0, 1, 2, 1]
    assert [one["set_aside_by"] for one in versions] == [None, None, 3, None]
    assert versions[1]["artifacts"][0]["path"] == "out/report.txt"
    assert versions[1]["labels"] == ["good"]
    (turn,) = objects(found, "turns/")
    assert turn["input"]["content"] == "Book it"
    listed = objects(found, "files/")
    assert (listed[0]["version"], listed[0]["path"]) == (1, "out/report.txt")
    assert found[f"blobs/{sha256(data)}"] == data
    (label,) = objects(found, "labels.jsonl")
    assert label["name"] == "good"
    (manifest,) = objects(found, "manifest.json")
    assert (manifest["session_id"], manifest["masked"]) == (run.id, False)
    assert left_out(export) == manifest["left_out"] == {}


def test_masked_it_has_no_bytes_of_files_and_says_so(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    client, data = api(), b"card 4111 1111 1111 1111"
    upload(client, data)
    run = begin(client, {"to": "ann@mail.example"}, artifacts=[a_file("a", data)])

    export = made(admin, sweep, "session", session_id=run.id)
    found = entries(admin, export)

    assert left_out(export) == {files.NEEDS_UNMASKED: 1}
    assert objects(found, "versions/")[0]["state"] == {"to": "[email]"}
    assert objects(found, "files/")[0]["chunks"][0]["sha256"] == sha256(data)
    assert not [name for name in found if name.startswith("blobs/")]


def test_a_proof_in_it_is_believed_without_a_server(
    api: runs.Clients, admin: Api, sweep: Sweep, settings: Any, tmp_path: Path
) -> None:
    key = SigningKey.made("stepback/test")
    settings.ROOTS, settings.SIGNING_KEY = tmp_path / "roots", key.secret()
    settings.VERIFIER_KEY = str(key.verifier)
    run = begin(api(), {"n": 0})
    with acting_as(Role.WORKER):
        signing.work(now=timezone.now())

    found = entries(admin, made(admin, sweep, "session", session_id=run.id))

    proof = json.loads(found["proof.json"])
    assert proof["status"] == "signed", proof
    assert verify_proof(proof, str(key.verifier)).session_id == run.id
    assert found["root.txt"].decode() == proof["proof"]["note"]


def test_a_long_session_goes_in_steps_and_ends_where_it_was(
    api: runs.Clients, admin: Api, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making_of, "STEP_BYTES", 1)
    monkeypatch.setattr(pages, "AT_ONCE", 2)
    monkeypatch.setattr(sweeping, "AT_ONCE", 2)
    run = begin(api(), {"n": 0})
    for number in range(1, 6):
        run.turn("on", "and on", state_after={"n": number})
    asked = admin.post("/v1/exports", {"kind": "session", "session_id": run.id}).body
    sweep()
    run.turn("late", "later", state_after={"n": 9})
    while (export := admin.get(f"/v1/exports/{asked['id']}").body)["state"] == "making":
        sweep()

    found = entries(admin, export)

    assert [one["version"] for one in objects(found, "versions/")] == list(range(6))
    assert len(objects(found, "turns/")) == 5


def test_what_a_removal_took_is_named_and_not_missed(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    client = api()
    run = with_gaps(lambda state, **about: begin(client, state, **about))

    found = entries(admin, made(admin, sweep, "session", session_id=run.id))

    numbers = [one["version"] for one in objects(found, "versions/")]
    assert numbers == [0, *range(4, 14)]
    (session,) = objects(found, "session.json")
    assert [one["first_version"] for one in session["removed"]] == [1, 6]


def test_one_whose_turns_are_damaged_fails_in_words(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    run = begin(api(), {"n": 0})
    run.turn("Book it", "Booked")
    asked = admin.post("/v1/exports", {"kind": "session", "session_id": run.id}).body
    data = bytes(Turn.objects.get(session_id=run.id).data)
    damage(Place("timeline_turn", run.id, 1, "data", data), flipped(Random(7), data))
    sweep()

    export = admin.get(f"/v1/exports/{asked['id']}").body
    assert (export["state"], export["error"]) == ("failed", sweeping.DAMAGED)


def test_of_a_session_that_is_not_there_nothing_is_made(
    api: runs.Clients, admin: Api, other_project: Any, make_key: runs.Keys
) -> None:
    run = begin(api(), {"n": 0})
    stranger = api(make_key(scope=Scope.ADMIN, project=other_project))
    for client, id in ((stranger, run.id), (admin, f"sess_{'0' * 26}")):
        asked = {"kind": "session", "session_id": id}
        assert_refused(client.post("/v1/exports", asked), 404, "session_not_found")
        assert client.get("/v1/exports").body["data"] == []


def test_one_entry_too_many_at_the_end_is_said_in_words(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    run = begin(api(), {"n": 0})
    asked = admin.post(EXPORTS, {"kind": "session", "session_id": run.id}).body
    with acting_as(Role.OWNER):
        Export.objects.update(entries=65_535)

    sweep()

    found = admin.get(f"{EXPORTS}/{asked['id']}").body
    assert (found["state"], found["error"]) == ("failed", sweeping.TOO_MANY)
