"""Draw the apps and their imports: `python -m tests.architecture`.

Everything is read from the tree: the layers from the contracts of import-linter in
`pyproject.toml`, the imports from the modules, what each app has from its files, its
sentence from the table in `docs/architecture.md` or else from its docstring. Writes
`docs/img/architecture.svg`; a contract test fails where that is not what is drawn now.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from textwrap import shorten

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs/img/architecture.svg"

WIDTH, MARGIN, ROW, CELL, GAP = 1000, 24, 46, 34, 6
HEADER, TITLE, LEGEND = 72, 16, 56
# Of a sentence, beside the dots of a dozen modules.
LONGEST = 76
# What an app may have, and how the picture calls it. The mark of the line of migrations
# makes no table.
PARTS = {
    "api": "API",
    "views": "pages",
    "management/commands": "commands",
    "migrations/0001_initial.py": "tables",
}
STYLE = """
text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 }
.name { font-size: 14px; font-weight: 600 }
.soft { font-size: 11.5px; fill: #59636e }
.panel { fill: #ffffff; stroke: #d1d9e0 }
.band { fill: #f6f8fa; stroke: #d1d9e0 }
.may { fill: none; stroke: #d1d9e0 }
.self { fill: #d1d9e0 }
.does { fill: #0969da }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.soft { fill: #9198a1 }
.panel { fill: #0d1117; stroke: #3d444d }
.band { fill: #151b23; stroke: #3d444d }
.may { stroke: #3d444d }
.self { fill: #3d444d }
.does { fill: #4493f8 }
}
"""


@dataclass(frozen=True, slots=True)
class Tower:
    """Modules in layers, the highest first, and which of them import which."""

    title: str
    layers: Sequence[Sequence[str]]
    imports: frozenset[tuple[str, str]]
    sentences: dict[str, str] = field(default_factory=dict)
    parts: dict[str, Sequence[str]] = field(default_factory=dict)

    @property
    def modules(self) -> list[str]:
        return [module for layer in self.layers for module in layer]

    @property
    def height(self) -> int:
        rows = len(self.modules) * ROW + (len(self.layers) - 1) * GAP
        return TITLE + HEADER + rows + LEGEND


def towers(root: Path = ROOT) -> list[Tower]:
    """Read a tower from each of import-linter's contracts about layers."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    contracts = project["tool"]["importlinter"]["contracts"]
    said = sentences(root)
    return [
        _tower(root, container, contract["layers"], said)
        for contract in contracts
        if contract["type"] == "layers"
        for container in contract.get("containers", [""])
    ]


def _tower(
    root: Path, container: str, lines: Sequence[str], said: dict[str, str]
) -> Tower:
    before = f"{container}." if container else ""
    layers = [
        [f"{before}{name.strip(' ()')}" for name in re.split(r"[|:]", line)]
        for line in lines
    ]
    modules = [module for layer in layers for module in layer]
    above = modules[0].rpartition(".")[0]
    return Tower(
        title="The apps, and what each imports"
        if above == "apps"
        else f"Inside {above}",
        layers=layers,
        imports=frozenset(imports(root, modules)),
        sentences={
            module: said.get(module, "") or _docstring(root, module)
            for module in modules
        },
        parts={module: list(_parts(root, module)) for module in modules},
    )


def sentences(root: Path) -> dict[str, str]:
    """Read the table that names each app and says what it owns."""
    page = root / "docs/architecture.md"
    rows = re.findall(r"^\| `(apps[\w.]+)` \| (.+) \|$", page.read_text(), re.MULTILINE)
    return {module: sentence.replace("`", "") for module, sentence in rows}


def _files(root: Path, module: str) -> list[Path]:
    """Return the module's file, or all those of a package."""
    place = root.joinpath(*module.split("."))
    single = place.with_suffix(".py")
    return [single] if single.exists() else sorted(place.rglob("*.py"))


def _docstring(root: Path, module: str) -> str:
    """Return the first line of the module's own docstring, if it has one."""
    own = [file for file in _files(root, module) if file.parts[-1] == "__init__.py"]
    for file in own[:1] or _files(root, module)[:1]:
        text = ast.get_docstring(ast.parse(file.read_text())) or ""
        return text.partition("\n")[0].rstrip(".")
    return ""


def _parts(root: Path, module: str) -> Iterator[str]:
    place = root.joinpath(*module.split("."))
    for name, shown in PARTS.items():
        if (place / name).exists():
            yield shown


def imports(root: Path, modules: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield which of the modules imports which other one, anywhere in its files."""
    for module in modules:
        for file in _files(root, module):
            for name in _imported(ast.parse(file.read_text())):
                target = _owner(name, modules)
                if target and target != module:
                    yield module, target


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _owner(name: str, modules: Iterable[str]) -> str | None:
    """Return which of the modules has this name."""
    owners = [one for one in modules if f"{name}.".startswith(f"{one}.")]
    return max(owners, key=len, default=None)


def draw(drawn: Sequence[Tower]) -> str:
    """Return the towers, one below the other, as an SVG for light and dark pages."""
    height = sum(one.height for one in drawn) + MARGIN * 2
    shapes = [
        f'<rect class="panel" x="0.5" y="0.5" width="{WIDTH - 1}" '
        f'height="{height - 1}" rx="10"/>'
    ]
    top = MARGIN
    for one in drawn:
        shapes += _drawn(one, top)
        top += one.height
    said = " ".join(escape(one.title) for one in drawn)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img" aria-label="{said}">',
            f"<style>{STYLE}</style>",
            *shapes,
            "</svg>\n",
        ]
    )


def _drawn(tower: Tower, top: int) -> Iterator[str]:
    """Draw a tower: a row for each module, and beside it a dot for each import."""
    modules = tower.modules
    left = WIDTH - MARGIN - CELL * len(modules)
    yield _text(MARGIN, top + 16, tower.title, "title")
    y = top + TITLE + HEADER
    for at, module in enumerate(modules):
        x, above = left + CELL * at + CELL // 2 + 4, y - 10
        turned = f' transform="rotate(-52 {x} {above})"'
        yield _text(x, above, _short(module), "soft", turned)
    for layer in tower.layers:
        height = ROW * len(layer)
        yield (
            f'<rect class="band" x="{MARGIN}" y="{y}" '
            f'width="{left - MARGIN - 10}" height="{height}" rx="6"/>'
        )
        for module in layer:
            yield from _row(tower, module, layer, left, y)
            y += ROW
        y += GAP
    yield from _legend(y + 22)


def _row(
    tower: Tower, module: str, layer: Sequence[str], left: int, y: int
) -> Iterator[str]:
    yield _text(MARGIN + 12, y + 19, _short(module), "name")
    parts = " · ".join(tower.parts.get(module, ()))
    yield _text(left - 22, y + 19, parts, "soft", ' text-anchor="end"')
    sentence = shorten(tower.sentences.get(module, ""), LONGEST, placeholder=" …")
    yield _text(MARGIN + 12, y + 36, sentence, "soft")
    at = tower.modules.index(module)
    for column, other in enumerate(tower.modules):
        x, middle = left + CELL * column, y + ROW // 2
        if other == module:
            yield _square(x, middle, "self")
        elif column > at and other not in layer:
            yield _square(x, middle, "may")
        # Drawn wherever it is: an import that goes up is to be seen.
        if (module, other) in tower.imports:
            yield f'<circle class="does" cx="{x + CELL // 2}" cy="{middle}" r="6"/>'


def _legend(y: int) -> Iterator[str]:
    yield _square(MARGIN, y, "may")
    yield f'<circle class="does" cx="{MARGIN + CELL // 2}" cy="{y}" r="6"/>'
    yield _text(MARGIN + CELL + 6, y + 4, "imports", "soft")
    yield _square(MARGIN + 110, y, "may")
    yield _text(MARGIN + 116 + CELL, y + 4, "may import, and does not", "soft")
    yield _text(
        MARGIN + 300 + CELL, y + 4, "blank: may not, and lint-imports refuses", "soft"
    )


def _square(x: int, middle: int, kind: str) -> str:
    side = CELL - 8
    return (
        f'<rect class="{kind}" x="{x + 4}" y="{middle - side // 2}" '
        f'width="{side}" height="{side}" rx="4"/>'
    )


def _text(x: int, y: int, text: str, kind: str, more: str = "") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}"{more}>{escape(text)}</text>'


def _short(module: str) -> str:
    return module.rpartition(".")[2]


def main(picture: Path = PICTURE, root: Path = ROOT) -> None:
    picture.write_text(draw(towers(root)))


if __name__ == "__main__":
    main()
