"""The import contracts hold, and they speak of every app."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

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

    # apps.diffs is pure, and apps.demo only calls operations: neither has models or
    # commands, and so none has an AppConfig.
    without_models = {"apps.demo", "apps.diffs"}
    assert placed == {f"apps.{name}" for name in APPS} | without_models


def test_no_apps_operations_know_http(contracts: dict[str, Any]) -> None:
    kept = set(contracts["The domain does not know HTTP"]["source_modules"])
    operations = {
        f"apps.{name}.operations"
        for name in APPS
        if list((ROOT / "apps" / name).glob("operations*"))
    }

    assert operations <= kept
