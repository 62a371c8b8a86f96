"""Notes go to every witness: in order, once, and never over another."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.core.notes.folder import Folder
from apps.core.notes.places import Stored
from apps.core.notes.reading import Place, read
from apps.core.notes.signed import SigningKey
from apps.core.objects import opened
from apps.witness.models import Witness
from apps.witness.witnesses import delivering
from apps.witness.witnesses.progress import witnesses
from tests.s3 import Proxy, running
from tests.timeline import runs
from tests.witness import forging
from tests.witness.test_finding import sign, verified

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server() -> Iterator[Proxy]:
    with running() as proxy:
        yield proxy


@pytest.fixture
def proxy(server: Proxy, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    soon = opened.__kwdefaults__ | {"timeout": timedelta(seconds=0.5)}
    monkeypatch.setattr(opened, "__kwdefaults__", soon)
    yield server
    server.fault, server.times = "", -1


@pytest.fixture
def elsewhere(tmp_path: Path, settings: Any) -> Path:
    """A folder that is a witness."""
    folder = tmp_path / "elsewhere"
    settings.WITNESSES = [str(folder)]
    return folder


@pytest.fixture
def stored(proxy: Proxy, tmp_path: Path, settings: Any) -> Stored:
    """A store that is a witness."""
    address = proxy.store(tmp_path.name)
    settings.WITNESSES = [address]
    return Stored(opened(address))


def deliver() -> None:
    delivering.deliver(now=timezone.now())


def sign_steps(run: runs.Run, count: int) -> None:
    for step in range(count):
        run.patch({"step": 10 + step})
        assert sign() == 1


def same(place: Place, roots: Path) -> bool:
    """Say whether a witness has what we have, byte for byte."""
    ours = Folder(roots)
    numbers = range(1, ours.newest() + 1)
    return place.newest() == ours.newest() and all(
        place.read(number) == ours.read(number) for number in numbers
    )


def test_a_folder_has_all_notes_with_their_leaves(
    roots: Path, run: runs.Run, elsewhere: Path, key: SigningKey
) -> None:
    sign_steps(run, 3)

    deliver()

    assert same(Folder(elsewhere), roots)
    held = read(Folder(elsewhere), 3, [key.verifier])[0].heads
    assert {one.id for one in held} >= {run.id}
    assert [(one.number, one.behind, one.error) for one in witnesses()] == [(3, 0, "")]


def test_a_store_has_all_notes_with_their_leaves(
    roots: Path, run: runs.Run, stored: Stored, key: SigningKey
) -> None:
    sign_steps(run, 3)

    deliver()

    assert same(stored, roots)
    held = read(stored, 3, [key.verifier])[0].heads
    assert {one.id for one in held} >= {run.id}


@pytest.mark.parametrize("fault", ["500", "hang", "lost"])
def test_a_store_that_was_away_is_caught_up_and_has_nothing_twice(
    roots: Path, run: runs.Run, stored: Stored, proxy: Proxy, fault: str
) -> None:
    sign_steps(run, 1)
    deliver()
    proxy.fault = fault
    sign_steps(run, 2)
    deliver()
    (away,) = witnesses()
    assert away.error
    assert away.failing_since is not None
    assert away.behind > 0

    proxy.fault = ""
    deliver()

    assert same(stored, roots)
    (back,) = witnesses()
    assert (back.behind, back.error, back.failing_since) == (0, "", None)
    names = list(stored.objects.list())
    assert len(names) == len(set(names)) == 6


def test_a_witness_that_is_away_keeps_the_other_from_nothing(
    roots: Path, run: runs.Run, tmp_path: Path, settings: Any
) -> None:
    folder = tmp_path / "elsewhere"
    nowhere = "s3://kept/notes?endpoint=http://127.0.0.1:9&region=us-east-1"
    settings.WITNESSES = [nowhere, str(folder)]
    sign_steps(run, 2)

    deliver()

    assert same(Folder(folder), roots)
    away, here = witnesses()
    assert (away.place, away.behind) == ("s3://kept/notes", 2)
    assert (here.behind, here.error) == (0, "")


def test_another_note_of_this_number_is_named_and_stays(
    roots: Path, run: runs.Run, elsewhere: Path
) -> None:
    sign_steps(run, 1)
    other = b"somebody else's note"
    Folder(elsewhere).write(1, other)
    sign_steps(run, 1)

    deliver()

    (found,) = witnesses()
    assert found.is_contradicting
    assert "It has another note 1 already" in found.error
    assert Folder(elsewhere).read(1) == other
    assert Folder(elsewhere).read(2) is None


def test_a_new_chain_of_notes_is_brought_over_no_old_one(
    roots: Path, run: runs.Run, elsewhere: Path, settings: Any, tmp_path: Path
) -> None:
    sign_steps(run, 2)
    deliver()
    before = Folder(elsewhere).read(1)
    settings.ROOTS = tmp_path / "anew"
    sign_steps(run, 1)

    deliver()

    (found,) = witnesses()
    assert found.is_contradicting
    assert Folder(elsewhere).read(1) == before


def test_what_a_killed_worker_had_brought_is_brought_no_second_time(
    roots: Path, run: runs.Run, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the note was there, and before that was noted."""
    sign_steps(run, 2)
    with monkeypatch.context() as patch:
        patch.setattr(delivering, "_keep", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            deliver()
    assert same(Folder(elsewhere), roots)
    assert not Witness.objects.filter(place=str(elsewhere)).exists()

    deliver()

    assert same(Folder(elsewhere), roots)
    assert [(one.behind, one.error) for one in witnesses()] == [(0, "")]


def test_notes_from_before_there_were_trees_are_brought_and_still_checked(
    roots: Path, run: runs.Run, elsewhere: Path, key: SigningKey
) -> None:
    sign_steps(run, 1)
    forging.write_as_before_trees(Folder(roots), 1, key)
    sign_steps(run, 1)

    deliver()

    assert same(Folder(elsewhere), roots)
    assert b"stepback-roots/1" in (Folder(elsewhere).read(1) or b"")
    assert b"stepback-roots/2" in (Folder(elsewhere).read(2) or b"")
    assert verified()[1] == ""
    forging.rewrite(run.id, 3)
    assert "something in v0 to v4 was rewritten" in verified()[1]


def test_what_does_not_hold_is_brought_to_nobody(
    roots: Path, run: runs.Run, elsewhere: Path
) -> None:
    sign_steps(run, 2)
    file = Folder(roots).file_of(1)
    file.write_bytes(file.read_bytes().replace(b"number 1", b"number 3"))

    deliver()

    (found,) = witnesses()
    assert "note 1: its signature does not hold" in found.error
    assert Folder(elsewhere).newest() == 0


def test_two_stores_of_one_name_are_two_witnesses(
    roots: Path, run: runs.Run, proxy: Proxy, tmp_path: Path, settings: Any
) -> None:
    """A bucket of the same name stands at each of two providers."""
    there = proxy.store(tmp_path.name)
    with running() as other:
        settings.WITNESSES = [there, other.store(tmp_path.name)]
        sign_steps(run, 2)

        deliver()

        assert all(
            any("2.note" in one for one in proxied.seen) for proxied in (proxy, other)
        )
        other.fault = "500"
        sign_steps(run, 1)
        deliver()
        assert [(one.place, one.behind) for one in witnesses()] == [
            (there, 0),
            (settings.WITNESSES[1], 1),
        ]
        other.fault = ""


def test_a_witness_whose_disk_was_replaced_gets_all_notes_again(
    roots: Path, run: runs.Run, elsewhere: Path
) -> None:
    sign_steps(run, 3)
    deliver()
    shutil.rmtree(elsewhere)
    sign_steps(run, 1)

    deliver()

    assert same(Folder(elsewhere), roots)
    assert witnesses()[0].behind == 0
