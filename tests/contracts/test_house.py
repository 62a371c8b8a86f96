"""Folders stay small enough to know: at most a dozen modules, else rooms by noun."""

import ast
from collections import Counter
from pathlib import Path

from tests.contracts.test_readme import ROOT

APPS = ROOT / "apps"
MOST = 12
# Made by Django one by one, or named by the command that each of them is.
NOT_ROOMS = {"migrations", "commands"}
# Folders that are larger still. A ceiling may only be lowered.
LARGER = {
    "accounts": 16,
    "diffs": 18,
    "metrics": 19,
    "timeline/api": 22,
    "timeline/search": 20,
    "webhooks": 17,
}


def modules_by_folder(top: Path) -> Counter[str]:
    return Counter(
        str(file.parent.relative_to(top))
        for file in top.rglob("*.py")
        if file.name != "__init__.py" and file.parent.name not in NOT_ROOMS
    )


def test_a_folder_has_at_most_a_dozen_modules() -> None:
    found = modules_by_folder(APPS)

    too_many = {
        folder: n for folder, n in found.items() if n > LARGER.get(folder, MOST)
    }
    assert len(found) > 50
    assert too_many == {}


def test_a_folder_that_has_its_rooms_is_listed_no_more() -> None:
    found = modules_by_folder(APPS)

    assert all(found[folder] > MOST for folder in LARGER)


# Its models are still to get modules of their own.
DEFINING = {"accounts/models"}


def test_packages_define_nothing_and_only_pass_on_names() -> None:
    packages = {
        str(file.parent.relative_to(APPS)): ast.parse(file.read_text())
        for file in APPS.rglob("__init__.py")
    }
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

    assert len(packages) > 50
    assert {
        name
        for name, tree in packages.items()
        if any(isinstance(node, kinds) for node in tree.body)
    } == DEFINING
