"""Folders, modules and functions stay small enough to know, and are named by nouns."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.contracts.test_readme import ROOT

APPS = ROOT / "apps"
MOST = 12
# Made by Django one by one, or named by the command that each of them is.
NOT_ROOMS = {"migrations", "commands"}
# Folders that are larger still. A ceiling may only be lowered.
LARGER = {
    "accounts": 16,
    "diffs": 18,
    "metrics": 18,
    "timeline/api": 19,
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


def test_packages_define_nothing_and_only_pass_on_names() -> None:
    packages = {
        str(file.parent.relative_to(APPS)): ast.parse(file.read_text())
        for file in APPS.rglob("__init__.py")
    }
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

    assert len(packages) > 50
    assert [
        name
        for name, tree in packages.items()
        if any(isinstance(node, kinds) for node in tree.body)
    ] == []


MOST_LINES = 300
MOST_OF_A_FUNCTION = 60
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def modules() -> Iterator[tuple[str, str]]:
    """Yield the text of each module by its place; Django makes migrations."""
    for top in ("apps", "config"):
        for file in sorted((ROOT / top).rglob("*.py")):
            if file.parent.name != "migrations":
                yield str(file.relative_to(ROOT)), file.read_text()


def test_a_module_has_fewer_than_300_lines() -> None:
    lengths = {name: len(text.splitlines()) for name, text in modules()}

    assert len(lengths) > 1_000
    assert {name: n for name, n in lengths.items() if n >= MOST_LINES} == {}


def test_functions_are_short() -> None:
    lengths = {
        (name, node.name, node.lineno): (node.end_lineno or 0) - node.lineno + 1
        for name, text in modules()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, FUNCTIONS)
    }

    too_long = {one: n for one, n in lengths.items() if n > MOST_OF_A_FUNCTION}
    assert too_long == {}
    assert median(lengths.values()) < 10
