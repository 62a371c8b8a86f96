"""What is odd is shown as it is: nothing runs, and nothing is wider than the screen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser import odd_content
from tests.browser.conftest import Console, Visits, link_of
from tests.browser.looking import violations, wider
from tests.browser.signing_in import signed_in
from tests.live import manage

MEMORIES = ("memories", "memory", "taught", "forgetting")
# How much of a table lies beside its frame, to be scrolled to.
SCROLLED = """
() => [...document.querySelectorAll(".scroll")]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.scrollWidth - one.clientWidth)
"""


@pytest.fixture(scope="module")
def odd(console: Console) -> dict[str, str]:
    """Where each odd page is, by its name."""
    server = console.server
    with server.client(server.key(odd_content.SLUG)) as api:
        found = odd_content.make(api)
    project = ("--project", odd_content.SLUG)
    manage(server.dsn, "create_user", "otto", *project, "--role", "operator")
    base = f"{server.url}/console/{odd_content.SLUG}"
    return {name: base + path for name, path in found.items()}


@pytest.fixture(scope="module")
def otto(console: Console, odd: dict[str, str], chromium: Browser) -> Any:
    return signed_in(chromium, link_of(console.server, "otto", odd_content.SLUG))


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_runs_and_nothing_is_wider_than_the_screen(
    visits: Visits, odd: dict[str, str], otto: Any, width: int
) -> None:
    size: Any = {"width": width, "height": 844}
    page = visits.strangers_page(storage_state=otto, viewport=size)
    ran: list[str] = []
    page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))

    wide = {}
    for name, url in odd.items():
        answer = page.goto(url)
        assert answer is not None
        assert answer.status == 200, name
        wide[name] = wider(page)

    assert {name: some for name, some in wide.items() if some} == {}
    assert ran == []


def test_what_is_long_leaves_the_columns_beside_it_in_sight(
    visits: Visits, odd: dict[str, str], otto: Any
) -> None:
    size: Any = {"width": 1440, "height": 900}
    page = visits.strangers_page(storage_state=otto, viewport=size)

    hidden = {}
    for name in ("data", "checkpoints", "audit", "blocked", *MEMORIES):
        page.goto(odd[f"kept-{name}"])
        assert page.locator(".scroll").count(), name
        hidden[name] = page.evaluate(SCROLLED)

    assert {name: some for name, some in hidden.items() if some} == {}


def test_what_scrolls_on_a_phone_can_be_reached_by_key(
    visits: Visits, odd: dict[str, str], otto: Any
) -> None:
    size: Any = {"width": 390, "height": 844}
    page = visits.strangers_page(storage_state=otto, viewport=size)
    page.goto(odd["kept-config"])
    assert page.locator(".tall").count()

    assert violations(page) == []


def test_a_picture_is_shown_and_what_is_none_is_named(
    visits: Visits, odd: dict[str, str], otto: Any
) -> None:
    page = visits.strangers_page(storage_state=otto)
    page.goto(odd["files-checkpoint"])

    shown = page.locator("img[loading=lazy]")
    shown.last.scroll_into_view_if_needed()
    # Asked again and again, a page that forbids `eval` refuses the second time.
    shown.evaluate_all(
        """images => Promise.all(images.map(image => image.complete ||
            new Promise(done => { image.onload = image.onerror = done; })))"""
    )
    widths = {
        shown.nth(at).get_attribute("alt"): shown.nth(at).evaluate(
            "i => i.naturalWidth"
        )
        for at in range(shown.count())
    }
    assert widths == {"out/chart.png": 320, "out/broken.png": 0}
