"""What the product imports is what the first of the README's commands installs.

Tests run where much more is installed, so an import without a requirement works there
and nowhere else.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
SERVER = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CLIENT = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())["project"]
OURS = {"apps", "config", "stepback"}
EXTRA = re.compile(r"\bextra\b")
# Of all that is installed, read once: it takes seconds.
DISTRIBUTIONS = packages_distributions()


def normal(name: str) -> str:
    """Return a distribution's name as PEP 503 spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed_by(requirements: Iterable[str]) -> set[str]:
    """Return the distributions that these bring, and those that they bring."""
    found: set[tuple[str, str]] = set()
    left = [(Requirement(one), "") for one in requirements]
    while left:
        one, extra = left.pop()
        if one.marker and not one.marker.evaluate({"extra": extra}):
            continue
        for wanted in ("", *one.extras):
            if (normal(one.name), wanted) not in found:
                found.add((normal(one.name), wanted))
                brought = [Requirement(line) for line in requires(one.name) or []]
                left += [
                    (other, wanted)
                    for other in brought
                    if not wanted or EXTRA.search(str(other.marker))
                ]
    return {name for name, _ in found}


def imported(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what is imported from elsewhere, with the module that does."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in {name.partition(".")[0] for name in names}:
                if name not in sys.stdlib_module_names and name not in OURS:
                    yield name, str(path.relative_to(ROOT))


def distributions(module: str) -> set[str]:
    return {normal(one) for one in DISTRIBUTIONS.get(module, [])}


@pytest.mark.parametrize(
    ("folder", "requirements", "optional"),
    [
        ("apps", SERVER["dependencies"], SERVER["optional-dependencies"]["prometheus"]),
        ("config", SERVER["dependencies"], []),
        (
            "clients/python/src/stepback",
            CLIENT["dependencies"],
            [
                line
                for name in ("langgraph", "mcp")
                for line in CLIENT["optional-dependencies"][name]
            ],
        ),
    ],
)
def test_every_import_is_required(
    folder: str, requirements: list[str], optional: list[str]
) -> None:
    known = installed_by([*requirements, *optional])
    found = list(imported(ROOT / folder))

    assert found
    assert not [
        (module, place) for module, place in found if not distributions(module) & known
    ]


def test_an_import_that_only_tests_install_would_be_noticed() -> None:
    assert not distributions("hypothesis") & installed_by(SERVER["dependencies"])
    assert distributions("cryptography") & installed_by(SERVER["dependencies"])
    assert distributions("psycopg_pool") & installed_by(SERVER["dependencies"])


def test_what_is_installed_is_pinned() -> None:
    pinned = {
        normal(line.partition("==")[0])
        for line in (ROOT / "constraints.txt").read_text().splitlines()
    }

    assert installed_by(SERVER["dependencies"]) <= pinned
