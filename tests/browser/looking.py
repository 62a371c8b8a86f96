"""Looks at pages with axe, in both themes."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Of what holds, it would describe each place too, which took it as long again.
BROKEN = {"resultTypes": ["violations"]}
RULES = BROKEN | {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
# The theme is colours alone (`light-dark()`), so nothing else can differ in the dark.
COLOURS = BROKEN | {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# People open one menu at a time. All at once, they would lie over what stands below
# them, by as much as a name above is long: a button is then too small a target.
OPEN_ALL = """
for (const one of document.querySelectorAll("details")) one.open = true;
for (const one of document.querySelectorAll(".menu-items")) {
  one.style.position = "static";
}
"""
SCRIPT = Axe().axe_script
# How wide a page is that is wider than the screen, and what may be why.
WIDER = """
() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) {
    return [];
  }
  const wider = [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > clientWidth)
    .map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 60)}`);
  return [`${scrollWidth} pixels`, ...wider];
}
"""


def violations(page: Page, rules: dict[str, Any] = RULES) -> list[Any]:
    """Return what axe finds on a page, which is given axe if it has none yet."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(SCRIPT)
    found: list[Any] = page.evaluate("(rules) => axe.run(rules)", rules)["violations"]
    return found


def wider(page: Page) -> list[str]:
    """Return what makes a page wider than its screen; nothing where it is not."""
    found: list[str] = page.evaluate(WIDER)
    return found


class Looker:
    """Looks at pages in both themes, and gathers what axe finds."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.found: dict[str, list[str]] = {}

    def look(self, page: Page, name: str) -> None:
        page.evaluate(OPEN_ALL)
        found = []
        for scheme, rules in (("light", RULES), ("dark", COLOURS)):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            for one in violations(page, rules):
                found += [
                    f"{scheme}, {one['id']}: {node['html'][:200]}"
                    for node in one["nodes"]
                ]
        self.seen.append(name)
        if found:
            self.found[name] = found
