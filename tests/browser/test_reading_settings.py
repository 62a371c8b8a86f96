"""The console as a reader set the browser: forced colours, zoom, motion, paper."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PROJECT, Trip, Visits
from tests.browser.looking import wider

expect.set_options(timeout=30_000)

# Below the project; {trip} is the session.
PAGES = (
    "",
    "/sessions?q=",
    "/sessions/{trip}",
    "/sessions/{trip}/versions/2",
    "/sessions/{trip}/versions/1/rollback",
    "/sessions/{trip}/conversation",
    "/compare?left={trip}@1&right={trip}",
    "/metrics?window=30d",
    "/alerts",
    "/plans",
)
# Buttons and chips whose edge cannot be seen where grounds are not drawn.
WITHOUT_EDGE = """
() => [...document.querySelectorAll(".button:not(.quiet), .badge, .band, .status")]
  .filter((one) => one.checkVisibility())
  .filter((one) => getComputedStyle(one).borderTopStyle === "none")
  .map((one) => one.outerHTML.slice(0, 120))
"""
MOVING = """
() => [...document.querySelectorAll("*")].filter((one) => {
  const style = getComputedStyle(one);
  const times = `${style.transitionDuration}, ${style.animationDuration}`;
  return times.split(", ").some((time) => parseFloat(time) > 0)
    || style.scrollBehavior === "smooth";
}).map((one) => one.outerHTML.slice(0, 120))
"""
SHIFTS = """
() => new Promise((resolve) => {
  const found = [];
  const observer = new PerformanceObserver((list) => found.push(...list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => {
    found.push(...observer.takeRecords());
    resolve(found.filter((one) => !one.hadRecentInput).map((one) => one.value));
  }));
})
"""


def addresses(trip: Trip) -> list[str]:
    base = f"{trip.console.server.url}/console/{PROJECT}"
    return [base + one.format(trip=trip.id) for one in PAGES]


def test_with_forced_colours_all_that_is_chosen_has_an_edge(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("olga", forced_colors="active")

    for where in addresses(trip):
        page.goto(where)
        assert page.evaluate(WITHOUT_EDGE) == [], where
    page.goto(trip.path("versions", 2))
    chosen = page.locator("#v2.is-selected")
    assert edge_of(chosen) == "solid"
    assert edge_of(page.locator(".side-nav [aria-current]")) == "solid"
    assert edge_of(page.locator("#v1")) == "none"


def edge_of(one: Any) -> str:
    return str(one.evaluate("(one) => getComputedStyle(one).outlineStyle"))


def test_at_twice_the_size_nothing_is_cut_off(visits: Visits, trip: Trip) -> None:
    # What a window of 1280 pixels shows at 200 %.
    size: Any = {"width": 640, "height": 400}
    page = visits.page("olga", viewport=size, device_scale_factor=2)

    for where in addresses(trip):
        page.goto(where)
        assert wider(page) == [], where
    page.goto(trip.path("versions", 1))
    button = page.get_by_role("link", name="Roll back to v1…")
    button.scroll_into_view_if_needed()
    button.click()
    expect(page.get_by_role("button", name="Roll back to v1")).to_be_visible()


def test_nothing_moves_for_who_wants_no_motion(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga", reduced_motion="reduce")

    for where in addresses(trip):
        page.goto(where)
        assert page.evaluate(MOVING) == [], where
        assert page.evaluate("document.getAnimations().length") == 0, where


def test_on_paper_a_version_is_what_it_says_and_no_buttons(
    visits: Visits, trip: Trip
) -> None:
    page = visits.page("olga")
    page.goto(trip.path("versions", 2))
    page.emulate_media(media="print")

    for gone in (".side", ".top", ".version-acts", ".filter"):
        expect(page.locator(gone).first).to_be_hidden()
    expect(page.locator("#version-pane .changes")).to_be_visible()
    expect(page.locator("#version-pane .changes")).to_contain_text("/destination")
    assert wider(page) == []
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_moves_while_the_rest_of_a_list_arrives(
    visits: Visits, trip: Trip, width: int
) -> None:
    page = visits.page("olga", viewport={"width": width, "height": 900})

    page.goto(f"{trip.console.server.url}/console/{PROJECT}/sessions?q=age%3C1d")

    expect(page.locator(".facets dl")).to_be_visible()
    # Chromium counts what moved as a share of the window. A line of 24 px above a list
    # of two sessions is 0.006, and above one of a hundred 0.012.
    assert sum(shifts(page)) < 0.001


def shifts(page: Page) -> list[float]:
    found: list[float] = page.evaluate(SHIFTS)
    return found
