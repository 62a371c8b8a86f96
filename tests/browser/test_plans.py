"""Many at once in a browser: by keyboard alone, without JavaScript, on a phone."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import uuid4

from playwright.sync_api import Page, expect

from tests.browser.conftest import PROJECT, Console, Visits
from tests.browser.looking import Looker, violations
from tests.worker.processes import working

expect.set_options(timeout=30_000)


def begun(console: Console, n: int) -> str:
    """Begin so many sessions; return the address of the list of them."""
    agent = f"batch-{uuid4().hex[:8]}"
    for number in range(n):
        state = {"agent_id": agent, "initial_state": {"n": number}}
        assert console.api.post("/v1/sessions", json=state).status_code == 201
    return f"{console.server.url}/console/{PROJECT}/sessions?q=agent%3A{agent}"


def statuses(page: Page) -> list[str]:
    return [one.strip() for one in page.locator(".status-words").all_inner_texts()]


def test_from_the_list_to_the_undo_by_keyboard(
    visits: Visits, console: Console, tmp_path: Path, looker: Looker
) -> None:
    where = begun(console, 3)
    page = visits.page("olga")
    page.goto(where)

    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("#picked")).to_have_text("2 picked")
    assert page.evaluate("getComputedStyle(bulk).position") == "sticky"
    assert violations(page) == []
    page.get_by_role("button", name="Hold…").focus()
    page.keyboard.press("Enter")

    expect(page.locator("h1")).to_have_text("Hold 2 sessions?")
    looker.look(page, "a dry run")
    page.keyboard.type("Bad release")
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_have_text("Holding 2 sessions")
    looker.look(page, "a plan that runs")
    with working(console.server.dsn, tmp_path / "log"):
        expect(page.locator("h1")).to_have_text("2 sessions held")
        looker.look(page, "a plan that is over")
        page.keyboard.press("z")
        expect(page.locator("h1")).to_have_text("Resume 2 sessions?")
        page.keyboard.press("Control+Enter")
        expect(page.locator("h1")).to_have_text("2 sessions resumed")
    assert looker.found == {}
    page.goto(where)
    assert statuses(page) == ["active"] * 3
    expect(page.locator("#picked")).to_have_text("The picked")


def test_picks_stay_from_page_to_page(visits: Visits, console: Console) -> None:
    page = visits.page("olga")
    page.goto(begun(console, 52))

    page.locator(".pick input").first.check()
    page.get_by_role("link", name="Older").click()
    expect(page.locator("#picked")).to_have_text("1 picked (1 on other pages)")
    page.locator(".pick input").first.check()
    page.go_back()
    expect(page.locator(".pick input").first).to_be_checked()
    expect(page.locator("#picked")).to_have_text("2 picked (1 on other pages)")
    page.get_by_role("button", name="Export…").click()

    expect(page.locator("h1")).to_have_text("Export 2 sessions?")
    page.go_back()
    page.locator("#find").fill(f"{page.locator('#find').input_value()} age<1d")
    page.locator("#find").press("Enter")
    # Another search has picks of its own.
    expect(page.locator("#picked")).to_have_text("The picked")


def test_picks_of_other_pages_outlive_a_refusal(
    visits: Visits, console: Console
) -> None:
    page = visits.page("olga")
    page.goto(begun(console, 52))

    page.locator(".pick input").first.check()
    page.get_by_role("link", name="Older").click()
    expect(page.locator("#picked")).to_have_text("1 picked (1 on other pages)")
    page.locator(".pick input").first.check()
    page.get_by_role("button", name="Label…").click()
    expect(page.locator("[role=alert]").first).to_contain_text("Nothing was done")
    expect(page.locator("#picked")).to_have_text("2 picked (1 on other pages)")
    page.get_by_label("The label").fill("seen")
    page.get_by_role("button", name="Label…").click()

    expect(page.locator("h1")).to_contain_text("Label 2 sessions")


def test_it_works_without_javascript_on_a_phone(
    visits: Visits, console: Console, tmp_path: Path
) -> None:
    size = {"width": 390, "height": 844}
    page = visits.page("olga", java_script_enabled=False, viewport=size)
    where = begun(console, 2)
    page.goto(where)

    page.locator(".pick input").first.check()
    page.get_by_label("The label").fill("handed-over")
    page.get_by_label("The label").press("Enter")
    expect(page.locator("h1")).to_have_text("Label 1 session “handed-over”?")
    page.get_by_label("Why (optional)").fill("For the night shift")
    page.get_by_role("button", name="Label 1 session “handed-over”").click()
    expect(page.locator("h1")).to_have_text(re.compile("^Labelling 1 session"))
    with working(console.server.dsn, tmp_path / "log"):
        # The page asks again by itself.
        expect(page.locator("h1")).to_have_text("1 session labelled “handed-over”")

    page.goto(where)
    page.get_by_label("Pick the first 500").check()
    page.get_by_role("button", name="Hold…").click()
    expect(page.locator("h1")).to_have_text("Hold 2 sessions?")


def test_nothing_is_wider_than_a_phone(visits: Visits, console: Console) -> None:
    page = visits.page("olga", viewport={"width": 390, "height": 844})
    page.goto(begun(console, 12))
    page.get_by_label("Pick the first 500").check()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # The bar of what was picked stands whole above the bottom bar, in one line.
    top, bottom = page.evaluate(
        "(({ top, bottom }) => [top, bottom])(bulk.getBoundingClientRect())"
    )
    below = "document.querySelector('.bottom-bar').getBoundingClientRect().top"
    assert bottom <= page.evaluate(below)
    assert bottom - top <= 80

    page.get_by_label("The label").fill("x" * 100)
    page.get_by_role("button", name="Label…").click()
    expect(page.locator("h1")).to_have_text(re.compile("^Label 12 sessions"))

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    left = "document.querySelector('[data-confirms]').getBoundingClientRect().left"
    assert page.evaluate(left) >= 0
