"""Roots over REST, and the proof of a session, checked without the server."""

import json
from pathlib import Path
from typing import Any

import pytest

from apps.accounts.models import Scope
from apps.core.notes import tree
from apps.core.notes.folder import Folder
from apps.core.notes.reading import read
from apps.core.notes.roots import Kind
from apps.core.notes.signed import SigningKey
from stepback.cli.__main__ import main
from stepback.proofs import ProofRefused, verify_proof
from tests.conftest import make_project
from tests.contracts.world import client_of
from tests.timeline import runs
from tests.timeline.keeping.test_taking import prune
from tests.witness import forging
from tests.witness.test_finding import sign, verified

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def proof(roots: Path, run: runs.Run) -> dict[str, Any]:
    assert sign() == 1
    found: dict[str, Any] = run.get("proof")
    return found


def test_the_proof_of_a_session_holds_without_the_server(
    proof: dict[str, Any], run: runs.Run, key: SigningKey
) -> None:
    proven = verify_proof(proof, str(key.verifier))

    assert (proven.session_id, proven.version, proven.note) == (run.id, 2, 1)
    assert proven.chain == run.get("versions", 2)["chain"]
    assert (proof["head_version"], proof["moved"]) == (2, False)


def test_it_says_that_the_head_has_moved_since(
    proof: dict[str, Any], run: runs.Run
) -> None:
    run.patch({"step": 3})

    found = run.get("proof")

    assert (found["signed_version"], found["head_version"]) == (2, 3)
    assert found["moved"] is True
    assert found["proof"] == proof["proof"]


def test_what_is_not_signed_has_no_proof_and_says_why(
    roots: Path, run: runs.Run, key: SigningKey
) -> None:
    assert run.get("proof")["status"] == "none"
    assert sign() == 1
    forging.write_as_before_trees(Folder(roots), 1, key)
    run.patch({"step": 3})
    assert sign() == 1
    assert run.get("proof")["status"] == "signed"
    forging.rewrite(run.id, 3)

    found = run.get("proof")

    assert (found["status"], found["proof"]) == ("broken", None)
    assert "was rewritten" in found["message"]
    with pytest.raises(ProofRefused, match="was rewritten"):
        verify_proof(found, str(key.verifier))


def test_a_note_from_before_there_were_trees_has_no_proof(
    roots: Path, run: runs.Run, key: SigningKey, begin: runs.Begin
) -> None:
    assert sign() == 1
    forging.write_as_before_trees(Folder(roots), 1, key)
    begin({"n": 1})
    assert sign() == 1

    found = run.get("proof")

    assert (found["status"], found["signed_version"]) == ("before_trees", 2)
    assert found["proof"] is None
    listed = run.client.get("/v1/roots/1").body
    assert (listed["root"], listed["note"]) == (None, None)


def test_the_root_follows_from_the_leaves_and_names_nobody_elses(
    proof: dict[str, Any], run: runs.Run
) -> None:
    stranger = client_of(make_project("elsewhere"), Scope.READ)

    mine = run.client.get("/v1/roots/1").body
    theirs = stranger.get("/v1/roots/1").body

    assert run.id in str(mine)
    assert run.id not in str(theirs)
    assert {one["leaf"] for one in theirs["leaves"]} == {None}
    for found in (mine, theirs):
        hashes = [bytes.fromhex(one["hash"]) for one in found["leaves"]]
        assert tree.root_of(hashes).hex() == found["root"]
        assert found["note"] == proof["proof"]["note"]


def test_a_key_for_other_agents_reads_no_leaf_of_these(
    proof: dict[str, Any], run: runs.Run, project: Any
) -> None:
    limited = client_of(project, Scope.READ, ["somebody-else"])

    found = limited.get("/v1/roots/1").body

    assert {one["leaf"] for one in found["leaves"]} == {None}


def test_roots_are_listed_page_by_page_newest_first(
    roots: Path, run: runs.Run, key: SigningKey
) -> None:
    for step in (3, 4, 5):
        run.patch({"step": step})
        assert sign() == 1

    first = run.client.get("/v1/roots?limit=2").body
    rest = run.client.get(f"/v1/roots?starting_after={first['last_id']}").body

    assert [one["number"] for one in first["data"]] == [3, 2]
    assert [one["number"] for one in rest["data"]] == [1]
    assert (first["has_more"], rest["has_more"]) == (True, False)
    (told,) = run.client.get("/v1/roots/key").body["keys"]
    assert told["verifier_key"] == str(key.verifier)
    assert told["fingerprint"] == key.verifier.fingerprint
    refused = run.client.get("/v1/roots?starting_after=x")
    assert (refused.status, run.client.get("/v1/roots/9").status) == (400, 404)


def test_the_command_line_checks_a_file_without_a_server(
    proof: dict[str, Any],
    run: runs.Run,
    key: SigningKey,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("STEPBACK_API_KEY", raising=False)
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(proof))
    asked = ["verify", str(file), "--key", str(key.verifier)]

    assert main(asked) == 0
    assert f"v2 of {run.id} was signed in note 1" in capsys.readouterr().out

    file.write_text(json.dumps(proof | {"signed_version": 3}))
    assert main(asked) == 1
    assert "signed_version is not what was signed" in capsys.readouterr().err
    for text in (json.dumps(proof)[:-40], '{"proof":' * 200_000):
        file.write_text(text)
        assert main(asked) == 1
        assert "cut or altered" in capsys.readouterr().err


def leaves_of(roots: Path, key: SigningKey, kind: Kind) -> list[str]:
    folder = Folder(roots)
    numbers = range(1, folder.newest() + 1)
    notes = [read(folder, number, [key.verifier])[0] for number in numbers]
    return [one.id for note in notes for one in note.heads if one.kind is kind]


def test_a_tombstone_is_signed_once_and_missed_when_it_is_gone(
    roots: Path, run: runs.Run, key: SigningKey
) -> None:
    for step in (3, 4, 5):
        run.patch({"step": step})
    sign()
    prune(run, 1, 2)
    sign()
    sign()
    assert leaves_of(roots, key, Kind.TOMBSTONE) == [f"{run.id}/pruned/1"]
    assert "tombstone" not in verified()[1]

    with forging.owning() as execute:
        execute("DELETE FROM timeline_tombstone WHERE session_id = %s", run.id)

    assert "signed the tombstone of v1 to v2, and it is not there" in verified()[0]


def test_a_tombstone_that_was_changed_is_named(
    roots: Path, run: runs.Run, key: SigningKey
) -> None:
    for step in (3, 4, 5):
        run.patch({"step": step})
    prune(run, 1, 2)
    sign()

    with forging.owning() as execute:
        execute("UPDATE timeline_tombstone SET rollbacks = 7")

    assert "signed the tombstone of v1 to v2, and it is another" in verified()[0]
