"""The picture of the apps is what the code is now, and draws what it should."""

import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import architecture
from tests.contracts.test_readme import ROOT

SVG = "{http://www.w3.org/2000/svg}"
PROJECT = """
[tool.importlinter]
root_packages = ["apps"]
[[tool.importlinter.contracts]]
name = "Down"
type = "layers"
layers = ["apps.top", "apps.left | apps.right"]
[[tool.importlinter.contracts]]
name = "Not that"
type = "forbidden"
source_modules = ["apps.left"]
forbidden_modules = ["json"]
[[tool.importlinter.contracts]]
name = "Floors"
type = "layers"
containers = ["apps.left"]
layers = ["verbs", "(rows)"]
"""
FILES = {
    "pyproject.toml": PROJECT,
    "docs/architecture.md": "| `apps.top` | Shows `all` & more |\n",
    "apps/top/__init__.py": "",
    "apps/top/views/pages.py": "def page():\n    from apps.left import rows\n",
    "apps/left/__init__.py": '"""Keep what is left.\n\nMore."""',
    "apps/left/verbs.py": "from apps.left.rows import row\nimport apps.rightful\n",
    "apps/left/rows.py": '"""Read rows."""\nimport apps.right.deep\n',
    "apps/right/__init__.py": "",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_committed_picture_is_what_is_drawn_now() -> None:
    drawn = architecture.draw(architecture.towers())

    assert architecture.PICTURE.read_text() == drawn, (
        "run `python -m tests.architecture` and commit docs/img/architecture.svg"
    )


def test_every_app_has_its_sentence() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"][
        "importlinter"
    ]["contracts"]
    apps = {
        name.strip()
        for contract in contracts
        if contract["name"] == "Imports only go down"
        for line in contract["layers"]
        for name in line.split("|")
    }
    sentences = architecture.sentences(ROOT)

    assert apps == {name for name in sentences if name.count(".") == 1}
    assert max(map(len, sentences.values())) <= architecture.LONGEST


def test_a_tower_is_read_from_the_contract_and_the_code(tree: Path) -> None:
    apps, _ = architecture.towers(tree)

    assert apps.layers == [["apps.top"], ["apps.left", "apps.right"]]
    assert apps.imports == {("apps.top", "apps.left"), ("apps.left", "apps.right")}
    assert apps.parts["apps.top"] == ["pages"]
    assert apps.sentences["apps.top"] == "Shows all & more"
    assert apps.sentences["apps.left"] == "Keep what is left"


def test_floors_of_an_app_are_a_tower_of_their_own(tree: Path) -> None:
    _, floors = architecture.towers(tree)

    assert floors.title == "Inside apps.left"
    assert floors.layers == [["apps.left.verbs"], ["apps.left.rows"]]
    assert floors.imports == {("apps.left.verbs", "apps.left.rows")}
    assert floors.sentences["apps.left.rows"] == "Read rows"


def test_the_drawing_shows_every_import_and_escapes_its_texts(tree: Path) -> None:
    drawn = architecture.towers(tree)
    picture = ElementTree.fromstring(architecture.draw(drawn))

    texts = [one.text for one in picture.iter(f"{SVG}text")]
    dots = picture.findall(f"{SVG}circle[@class='does']")
    assert {"top", "Shows all & more", "Inside apps.left"} <= set(texts)
    # One dot more is in the legend of each tower.
    assert len(dots) == sum(len(one.imports) + 1 for one in drawn)


def test_it_is_written_as_it_is_drawn(tree: Path) -> None:
    architecture.main(tree / "picture.svg", tree)

    drawn = architecture.draw(architecture.towers(tree))
    assert (tree / "picture.svg").read_text() == drawn
