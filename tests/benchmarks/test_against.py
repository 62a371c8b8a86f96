"""The comparison with an older commit: what it serves, and what it leaves behind."""

import subprocess
from pathlib import Path

import pytest

from tests.benchmarks import against
from tests.live import ROOT


def worktrees() -> str:
    done = subprocess.run(
        ["git", "worktree", "list"], cwd=ROOT, check=True, capture_output=True
    )
    return done.stdout.decode()


def test_a_checkout_has_the_files_of_its_commit_and_goes() -> None:
    before = worktrees()

    with against.checked_out("HEAD") as there:
        assert (there / "manage.py").read_text() == (ROOT / "manage.py").read_text()
        assert str(there) in worktrees()

    assert not there.exists()
    assert worktrees() == before


def test_a_side_that_cannot_be_served_is_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError, match="could not be served"),
        against.served(tmp_path, (1, 1)),
    ):
        pass


@pytest.mark.parametrize(
    ("arguments", "commit", "size"),
    [
        ([], against.BEFORE, against.FULL),
        (["--quick"], against.BEFORE, against.QUICK),
        (["abc", "--sessions", "5"], "abc", (5, against.FULL[1])),
    ],
)
def test_what_is_compared_can_be_said(
    arguments: list[str], commit: str, size: tuple[int, int]
) -> None:
    given = against._parsed(arguments)

    assert (given.commit, (given.sessions, given.versions)) == (commit, size)
