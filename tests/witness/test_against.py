"""`verify --against`: what a witness and a key that was kept find out."""

from dataclasses import replace
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

import pytest
from django.utils import timezone

from apps.core.notes.folder import Folder
from apps.core.notes.reading import read
from apps.core.notes.roots import Tree
from apps.core.notes.signed import SigningKey
from apps.witness.witnesses import delivering
from tests.timeline import runs
from tests.witness import forging
from tests.witness.test_finding import sign, verified
from tests.witness.test_witnesses import proxy, server, stored  # noqa: F401 - fixtures

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def witness(roots: Path, run: runs.Run, tmp_path: Path, settings: Any) -> Folder:
    """A folder with three notes over one session, as we have them ourselves."""
    settings.WITNESSES = [str(tmp_path / "elsewhere")]
    for step in (3, 4, 5):
        run.patch({"step": step})
        assert sign() == 1
    delivering.deliver(now=timezone.now())
    return Folder(tmp_path / "elsewhere")


def against(place: Folder, key: SigningKey) -> str:
    """Return why the command refuses; nothing where all holds."""
    said, refused = verified("--against", str(place.path), "--key", str(key.verifier))
    return f"{said}{refused}" if refused else ""


def forge(place: Folder, number: int, key: SigningKey, **changes: Any) -> None:
    """Put another note in the place of one, with leaves that are its own."""
    root, _ = read(place, number, [key.verifier])
    other = replace(root, **changes)
    other = replace(other, tree=Tree.over(other.heads))
    place.file_of(number).write_bytes(key.sign(other.text()))
    if not place.read_leaves(number, other.tree.root):
        place.write_leaves(number, other.tree.root, other.leaves())


def test_what_nobody_touched_holds(witness: Folder, key: SigningKey) -> None:
    assert against(witness, key) == ""


def test_what_is_not_brought_yet_is_no_finding(
    witness: Folder, key: SigningKey, run: runs.Run
) -> None:
    run.patch({"step": 6})
    assert sign() == 1

    assert against(witness, key) == ""


def test_all_notes_and_their_index_cut_off_with_the_database_are_missed(
    witness: Folder, key: SigningKey, run: runs.Run, roots: Path
) -> None:
    """What no machine finds by itself."""
    forging.cut(run.id, 4)
    for number in (2, 3):
        Folder(roots).file_of(number).unlink()
    (roots / "index.sqlite3").unlink()
    assert "note" not in verified()[1]

    found = against(witness, key)

    assert "the history ends at v4" in found
    assert "our own notes end at 1, and the witness has 3" in found


def test_a_history_that_was_signed_anew_is_found(
    witness: Folder, key: SigningKey, run: runs.Run, roots: Path
) -> None:
    """Rewritten, and signed again from the first note on by who has the key."""
    forging.rewrite(run.id, 3)
    rmtree(roots)
    assert sign() == 1
    assert verified()[1] == ""

    found = against(witness, key)

    assert "was rewritten" in found
    assert "our own note 1 is another than the witness has" in found


def test_notes_of_a_foreign_key_are_believed_by_nobody(
    witness: Folder, run: runs.Run
) -> None:
    assert "is not signed by a known key" in against(
        witness, SigningKey.made("stepback/test")
    )


@pytest.mark.parametrize("number", [1, 2])
def test_a_note_that_is_missing_at_the_witness_is_named(
    witness: Folder, key: SigningKey, number: int
) -> None:
    witness.file_of(number).unlink()

    assert f"note {number} is missing" in against(witness, key)


def test_notes_in_another_order_are_named(witness: Folder, key: SigningKey) -> None:
    second, third = witness.file_of(2).read_bytes(), witness.file_of(3).read_bytes()
    witness.file_of(2).write_bytes(third)
    witness.file_of(3).write_bytes(second)

    found = against(witness, key)

    assert "note 2 has the place of note 3" in found
    assert "note 3 has the place of note 2" in found


def test_a_note_that_was_signed_again_is_named(
    witness: Folder, key: SigningKey
) -> None:
    """By who has the key: the next one names another before it."""
    forge(witness, 2, key, heads=[])

    found = against(witness, key)

    assert "note 3: it names another note before it than there is" in found
    assert "our own note 2 is another than the witness has" in found


def test_a_database_that_was_put_back_unsaid_is_named(
    witness: Folder, key: SigningKey, run: runs.Run, roots: Path, tmp_path: Path
) -> None:
    earlier = tmp_path / "earlier"
    copytree(roots, earlier)
    for number in (2, 3):
        (earlier / Folder(roots).file_of(number).relative_to(roots)).unlink()
    rmtree(roots)
    copytree(earlier, roots)
    forging.cut(run.id, 3)

    found = against(witness, key)

    assert "or the database was put back" in found
    assert "our own notes end at 1" in found


def test_a_store_is_held_against_too(
    roots: Path,
    run: runs.Run,
    key: SigningKey,
    stored: Any,  # noqa: F811
    settings: Any,
    proxy: Any,  # noqa: F811
) -> None:
    assert sign() == 1
    delivering.deliver(now=timezone.now())
    asked = ("--against", settings.WITNESSES[0], "--key", str(key.verifier))
    assert verified(*asked)[1] == ""
    forging.rewrite(run.id, 2)
    assert "was rewritten" in verified(*asked)[1]
    for fault in ("500", "cut"):
        proxy.fault = fault

        assert "cannot be read" in verified(*asked)[1]


def test_it_is_said_where_there_are_no_notes(
    roots: Path, run: runs.Run, key: SigningKey, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    asked = ("--against", str(empty), "--key", str(key.verifier))

    assert f"There are no notes at {empty}" in verified(*asked)[1]
    assert "go together" in verified("--against", str(empty))[1]
    assert "no Ed25519 key" in verified("--against", str(empty), "--key", "a+b+c")[1]
