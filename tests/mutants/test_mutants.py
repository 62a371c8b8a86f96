"""Every mutant still fits the tree, and a survivor would be told.

The full run is `python -m tests.mutants`; here the runner is held to a small tree.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.mutants.__main__ import main
from tests.mutants.mutant import DoesNotApply, Edit, Mutant
from tests.mutants.runs import ROOT
from tests.mutants.table import MUTANTS

# A tree that takes no time: one rule, and the test of it.
RULE = "def follows(before, after):\n    return after == before + 1\n"
TEST = """\
from rules import follows

def test_one_follows_the_other():
    assert follows(1, 2) and not follows(1, 3)
"""


def of_the_rule(name: str, old: str, new: str, test: str = "test_rules.py") -> Mutant:
    return Mutant(name, (Edit("rules.py", old, new),), (test,))


NOTICED = of_the_rule("noticed", "after ==", "before or after ==")
HARMLESS = of_the_rule("harmless", "before + 1", "1 + before")
GONE = of_the_rule("gone", "a text that is not there", "")
BROKEN = of_the_rule("broken", "return", "retrun")
UNTESTED = of_the_rule("untested", "before + 1", "before", "test_nothing.py")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Loading the plugins takes longer than all the rest.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "rules.py").write_text(RULE)
    (tmp_path / "test_rules.py").write_text(TEST)
    return tmp_path


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_it_applies_to_the_tree(mutant: Mutant) -> None:
    for edit in mutant.edits:
        assert edit.text(ROOT) != edit.place(ROOT).read_text()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_tests_that_should_notice_it_are_there(mutant: Mutant) -> None:
    assert mutant.tests
    for test in mutant.tests:
        file, _, name = test.partition("::")
        text = (ROOT / file).read_text()
        assert not name or re.search(rf"^def {re.escape(name)}\(", text, re.M), test


def test_their_names_are_their_own() -> None:
    names = Counter(mutant.name for mutant in MUTANTS)

    assert max(names.values()) == 1


def test_every_mutant_is_told_what_became_of_it(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], [NOTICED, HARMLESS, GONE, BROKEN], root=tree) == 1

    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(
        "killed         noticed: test_rules::test_one_follows_the_other ("
    )
    assert told[1].startswith("survived       harmless: ")
    assert told[2].startswith("does not apply gone: rules.py holds 0 times: ")
    assert told[3].startswith("broke the run  broken: ")
    assert told[-1] == "1 of 4 mutants were killed."
    assert (tree / "rules.py").read_text() == RULE


def test_the_run_is_good_when_all_are_killed(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--only", "noticed"], [NOTICED, HARMLESS], root=tree) == 0

    assert "1 of 1 mutants were killed." in capsys.readouterr().out


def test_a_tree_whose_own_tests_fail_proves_nothing(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], [NOTICED, UNTESTED], root=tree) == 1

    assert capsys.readouterr().out.startswith("The tree's own tests fail")


def test_a_mutant_can_be_picked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--only", "gone"], [NOTICED, GONE]) == 0

    assert capsys.readouterr().out == "gone: rules.py\n"


def test_the_newest_version_of_a_file_is_meant(tmp_path: Path) -> None:
    for version in ("1", "2", "10"):
        (tmp_path / f"append_v{version}.sql").write_text(f"version {version}")
    (tmp_path / "append_batch_v11.sql").write_text("version 11")

    assert Edit("append_v*.sql", "version", "v").text(tmp_path) == "v 10"


@pytest.mark.parametrize("text", ["none", "one and one "])
def test_what_stands_there_not_once_is_not_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "file.py").write_text(text)

    with pytest.raises(DoesNotApply, match=r"file\.py holds [02] times: 'one '"):
        Edit("file.py", "one ", "").text(tmp_path)
