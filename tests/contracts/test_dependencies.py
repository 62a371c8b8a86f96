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
                for name in ("langgraph", "mcp", "pytest")
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


def test_who_asks_for_langgraph_gets_langgraph() -> None:
    assert "langgraph" in installed_by(CLIENT["optional-dependencies"]["langgraph"])
    assert "langgraph" not in installed_by(CLIENT["dependencies"])


def test_what_is_installed_is_pinned() -> None:
    pinned = {
        normal(line.partition("==")[0])
        for line in (ROOT / "constraints.txt").read_text().splitlines()
    }

    assert installed_by(SERVER["dependencies"]) <= pinned


def pinned(text: str) -> dict[str, str]:
    """Return the version of each distribution that a file pins."""
    found = re.findall(r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", text, re.MULTILINE)
    return {normal(name): version for name, version in found}


LOCK = (ROOT / ".ci/requirements.lock").read_text()
CONSTRAINTS = (ROOT / "constraints.txt").read_text()
CI = (ROOT / ".ci/run").read_text()


def test_lock_and_constraints_pin_the_same() -> None:
    assert pinned(LOCK) == pinned(CONSTRAINTS)
    assert len(pinned(LOCK)) > 100


def test_the_lock_meets_every_requirement() -> None:
    wanted = [*SERVER["dependencies"], *SERVER["optional-dependencies"]["dev"]]
    locked = pinned(LOCK)

    for one in map(Requirement, wanted):
        if one.marker is None or one.marker.evaluate({"extra": "dev"}):
            assert one.specifier.contains(locked[normal(one.name)]), str(one)


def test_every_locked_version_has_the_hashes_of_its_files() -> None:
    entries = re.split(r"^(?=[\w.-]+(?:\[[^\]]*\])?==)", LOCK, flags=re.MULTILINE)[1:]
    hashes = {
        entry.partition("==")[0]: re.findall(r"--hash=sha256:([0-9a-f]{64})\b", entry)
        for entry in entries
    }

    assert all(hashes.values())
    # Wheels of other platforms are among them: one of this one alone would be one.
    assert len(hashes["granian"]) > 10
    assert sum(map(len, hashes.values())) == LOCK.count("--hash=")


def test_the_lock_names_no_index_and_nothing_but_versions() -> None:
    lines = [line.strip(" \\") for line in LOCK.splitlines()]
    entry = re.compile(r"[\w.-]+(\[[\w,-]+\])?==\S+|--hash=sha256:[0-9a-f]{64}")

    assert [line for line in lines if not entry.fullmatch(line)] == []


def test_ci_installs_nothing_that_is_not_in_the_lock() -> None:
    commands = CI.replace("\\\n", " ").splitlines()
    installs = [" ".join(line.split()) for line in commands if "pip install" in line]

    assert [line.partition("version-check ")[2] for line in installs] == [
        "--require-hashes -r .ci/requirements.lock",
        "--no-deps -e .",
    ]
