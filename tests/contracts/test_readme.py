"""The README stays short and leads everywhere; its pages name every command, setting,
error and package; tests run every command.
"""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from apps.core.http.problems.problem import ERRORS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
API = (ROOT / "docs/api.md").read_text()
OPERATING = (ROOT / "docs/operating.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
MAX_LINES = 130
INSTALL = "python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e"
COMMANDS = sorted(
    file.stem
    for file in (ROOT / "apps").glob("*/management/commands/*.py")
    if file.stem != "__init__"
)
ENV = re.compile(r"\benv\b")
READERS = {"text", "flag", "number", "items", "networks", "origin", "path"}


def settings() -> list[str]:
    """Return every variable that is read through `config.env`."""
    found = set()
    for folder in ("config", "apps"):
        for file in (ROOT / folder).rglob("*.py"):
            text = file.read_text()
            # Each process of a run asks this: parsing all that is in `apps` takes 4 s.
            if ENV.search(text) is None:
                continue
            for node in ast.walk(ast.parse(text)):
                if is_reading(node):
                    found.add(ast.literal_eval(node.args[0]))
    return sorted(found)


def is_reading(node: ast.AST) -> bool:
    """Tell whether this is `env.text("NAME")` or one of its siblings."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "env"
        and node.func.attr in READERS
    )


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MAX_LINES


@pytest.mark.parametrize(
    "command",
    [
        f"{INSTALL} . && .venv/bin/python manage.py up",
        f"{INSTALL} '.[dev]' && .venv/bin/pytest",
    ],
)
def test_the_readme_has_the_command_to_use_and_to_test_it(command: str) -> None:
    start = README.partition("## Start\n")[2].partition("\n## ")[0]

    assert f"```\n{command}\n```" in start


@pytest.mark.parametrize(
    "name", sorted(path.name for path in (ROOT / "docs").glob("*.md"))
)
def test_the_readme_lists_the_page(name: str) -> None:
    table = README.partition("## Documentation\n")[2].partition("\n## ")[0]

    assert f"](docs/{name})" in table


def test_there_are_commands_and_settings_to_look_for() -> None:
    assert {"up", "create_key", "signin_link"} <= set(COMMANDS)
    assert {"DATABASE_URL", "SECRET_KEY", "STEPBACK_DATA_DIR"} <= set(settings())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_run_by_some_test(command: str) -> None:
    tests = [
        file
        for file in (ROOT / "tests").rglob("*.py")
        if file != Path(__file__) and "contracts" not in file.parts
    ]

    assert any(f'"{command}"' in file.read_text() for file in tests)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_operators_page_names_the_command(command: str) -> None:
    assert f"manage.py {command}" in OPERATING


@pytest.mark.parametrize("setting", settings())
def test_the_operators_page_names_the_setting(setting: str) -> None:
    assert f"`{setting}`" in OPERATING


@pytest.mark.parametrize("code", ERRORS)
def test_the_apis_page_names_the_error_beside_its_status(code: str) -> None:
    status = str(ERRORS[code][0])
    rows = [line for line in API.splitlines() if f"`{code}`" in line]

    assert any(status in row.split("|")[1] for row in rows if row.startswith("|"))


def packages() -> list[str]:
    """Return the names of all packages that pyproject.toml asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = project["dependencies"] + project["optional-dependencies"]["dev"]
    return [re.split(r"[\[<>=;! ]", line)[0] for line in asked]


@pytest.mark.parametrize("package", packages())
def test_a_contributor_reads_the_reason_for_the_package(package: str) -> None:
    table = CONTRIBUTING.partition("## Dependencies")[2]

    assert re.search(rf"[| ]{re.escape(package)}[\[, ]", table)
