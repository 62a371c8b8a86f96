"""The import contracts hold, and they speak of every app."""

import ast
import os
import subprocess
import sys
import tomllib
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grimp
import pytest
from grimp import ImportGraph
from importlinter.contracts.protected import ProtectedContract

ROOT = Path(__file__).resolve().parents[2]
APPS = sorted(
    folder.name for folder in (ROOT / "apps").iterdir() if (folder / "apps.py").exists()
)


@pytest.fixture(scope="module")
def contracts() -> dict[str, dict[str, Any]]:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return {one["name"]: one for one in told["tool"]["importlinter"]["contracts"]}


def test_the_import_contracts_hold() -> None:
    linter = Path(sys.executable).parent / "lint-imports"

    done = subprocess.run(
        [linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_every_app_has_its_layer(contracts: dict[str, Any]) -> None:
    layers = contracts["Imports only go down"]["layers"]
    placed = {app.strip() for line in layers for app in line.split("|")}

    # apps.checks and apps.diffs are pure, and apps.demo only calls operations: none has
    # models or commands, and so none has an AppConfig.
    without_models = {"apps.checks", "apps.demo", "apps.diffs"}
    assert placed == {f"apps.{name}" for name in APPS} | without_models


def test_no_apps_operations_know_http(contracts: dict[str, Any]) -> None:
    kept = set(contracts["The domain does not know HTTP"]["source_modules"])
    operations = {
        f"apps.{name}.operations"
        for name in APPS
        if list((ROOT / "apps" / name).glob("operations*"))
    }

    assert operations <= kept


FACADES = (
    *("bisect", "blame", "operations", "queries", "search", "verification"),
    "versions",
)


@pytest.fixture(scope="module")
def graph() -> ImportGraph:
    return grimp.build_graph("apps", "config", cache_dir=None)


@dataclass(frozen=True)
class Module:
    """What a module imports by name, and what it takes of names (`name.attr`)."""

    imported: list[tuple[str | None, ast.alias]]
    attributes: set[tuple[str, str]]

    @classmethod
    def read(cls, text: str) -> "Module":
        imported: list[tuple[str | None, ast.alias]] = []
        attributes: set[tuple[str, str]] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                imported += [(node.module, alias) for alias in node.names]
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                attributes.add((node.value.id, node.attr))
        return cls(imported, attributes)

    def taken_from(self, package: str) -> set[str]:
        """Return the names that it takes from a package, by either import."""
        above, _, last = package.rpartition(".")
        names = {alias.name for of, alias in self.imported if of == package}
        known_as = {
            alias.asname or alias.name
            for of, alias in self.imported
            if of == above and alias.name == last
        }
        return names | {attr for name, attr in self.attributes if name in known_as}


@pytest.fixture(scope="module")
def modules() -> dict[Path, Module]:
    """The modules that speak of the timeline."""
    texts = {
        file: file.read_text()
        for top in ("apps", "tests")
        for file in (ROOT / top).rglob("*.py")
    }
    return {
        file: Module.read(text)
        for file, text in texts.items()
        if "apps.timeline" in text
    }


def is_kept(contract: dict[str, Any], graph: ImportGraph) -> bool:
    asked = {name: value for name, value in contract.items() if name != "type"}
    linter = ProtectedContract(
        name=contract["name"], session_options={}, contract_options=asked
    )
    return linter.check(graph, verbose=False).kept


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("apps.console.urls", "apps.timeline.search.finder", False),
        ("apps.worker.jobs", "apps.timeline.operations.expiry", False),
        ("apps.webhooks.payloads", "apps.timeline.ledger", False),
        ("apps.witness.signing", "apps.timeline.bodies.codec", False),
        ("apps.metrics.facts", "apps.timeline.projection.open_rebuild", False),
        ("apps.demo.script", "apps.timeline.versions.reading", False),
        ("apps.server.starting", "apps.timeline.management.sessions", False),
        *(("apps.console.urls", f"apps.timeline.{one}", True) for one in FACADES),
        ("apps.console.urls", "apps.timeline.models", True),
        ("apps.timeline.api.search", "apps.timeline.search.finder", True),
    ],
)
def test_other_apps_import_the_timelines_facades_alone(
    contracts: dict[str, Any],
    graph: ImportGraph,
    importer: str,
    imported: str,
    allowed: bool,
) -> None:
    changed = deepcopy(graph)
    assert {importer, imported} <= changed.modules
    changed.add_import(
        importer=importer, imported=imported, line_number=1, line_contents="import"
    )

    kept = is_kept(contracts["Other apps import the timeline's facades alone"], changed)

    assert kept is allowed


def test_only_routes_know_the_timelines_api(
    contracts: dict[str, Any], graph: ImportGraph
) -> None:
    changed = deepcopy(graph)
    changed.add_import(
        importer="apps.console.urls",
        imported="apps.timeline.api.base",
        line_number=1,
        line_contents="import",
    )

    assert not is_kept(contracts["Only routes know the timeline's API"], changed)


@pytest.mark.parametrize("name", FACADES)
def test_a_facade_offers_no_more_than_others_use(
    name: str, modules: dict[Path, Module]
) -> None:
    facade = f"apps.timeline.{name}"
    folder = ROOT / "apps/timeline" / name
    used: set[str] = set()
    for file, module in modules.items():
        if folder not in file.parents:
            used |= module.taken_from(facade)

    offered = _offered(ast.parse((folder / "__init__.py").read_text()))

    assert offered
    assert not offered - used


def _offered(tree: ast.Module) -> set[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def test_starting_django_loads_no_facade() -> None:
    """They import models, which cannot be imported before the apps are ready."""
    program = (
        "import django, sys; django.setup(); "
        f"print([one for one in {FACADES} if f'apps.timeline.{{one}}' in sys.modules])"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.stdout == "[]\n", done.stderr
