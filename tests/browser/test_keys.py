"""Single keys: the list that `?` opens has those alone that act on the page."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PROJECT, Trip, Visits
from tests.browser.test_every_page import rule

expect.set_options(timeout=30_000)
ROWS, PICK = "down, up the rows", "pick the row"
# Where in the page the focus is: 0 where it is not in its content.
FOCUSED = "document.activeElement.closest('main') && document.activeElement.href"
WITH_ROWS = (
    "agents",
    "audit?show=all",
    "keys",
    "memories",
    "alerts",
    "open/flagged",
    "",
)
WITHOUT_ROWS = ("alerts/new", "sessions?q=user:nobody")


def told(page: Page) -> list[str]:
    """Open the list of keys, return its lines, and close it."""
    page.wait_for_load_state()
    page.keyboard.press("?")
    dialog = page.locator("#keys")
    expect(dialog).to_be_visible()
    lines: list[str] = dialog.locator("dl > div:visible").all_inner_texts()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert lines
    return [re.sub(r"\s+", " ", line) for line in lines]


def says(lines: list[str], words: str) -> bool:
    return any(words in line for line in lines)


def base(trip: Trip) -> str:
    return f"{trip.console.server.url}/console/{PROJECT}"


def fill(trip: Trip) -> None:
    """Have a row on each of the pages that list something."""
    said = {"content": "Prefers aisle seats", "session_id": trip.id}
    trip.console.api.post("/v1/memories", json=said)
    rule(trip)


@pytest.mark.parametrize("where", WITH_ROWS)
def test_j_k_and_enter_open_a_row_of_every_list(
    visits: Visits, trip: Trip, where: str
) -> None:
    fill(trip)
    page = visits.page("alice")
    page.goto(f"{base(trip)}/{where}".rstrip("/"))
    lines = told(page)

    page.keyboard.press("j")
    first = page.evaluate(FOCUSED)
    assert says(lines, ROWS) == (first is not None) == (where != "keys")
    if where == "keys":
        # Its rows have buttons alone: nothing to open, and nothing promised.
        assert first is None
        return
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate(FOCUSED) == first
    page.keyboard.press("Enter")

    expect(page).to_have_url(first)
    assert not says(lines, PICK)


@pytest.mark.parametrize("where", WITHOUT_ROWS)
def test_where_there_are_no_rows_none_is_promised(
    visits: Visits, trip: Trip, where: str
) -> None:
    page = visits.page("alice")
    page.goto(f"{base(trip)}/{where}")

    lines = told(page)
    page.keyboard.press("j")

    assert page.evaluate(FOCUSED) is None
    for words in (ROWS, PICK, "roll back", "undo", "swap", "history of the key"):
        assert not says(lines, words)
    assert says(lines, "this list")


def test_rows_of_sessions_are_picked(visits: Visits, trip: Trip) -> None:
    page = visits.page("olga")
    page.goto(f"{base(trip)}/sessions?q=age%3C1d")

    assert says(told(page), PICK)
    page.keyboard.press("j")
    page.keyboard.press("x")

    expect(page.locator(".sessions .pick input").first).to_be_checked()


def test_a_viewer_is_promised_no_act(visits: Visits, trip: Trip) -> None:
    trip.console.api.post(f"/v1/sessions/{trip.id}/rollback", json={"version": 1})
    lines = {}
    for name in ("carol", "olga"):
        page = visits.page(name)
        page.goto(trip.path())
        lines[name] = told(page)

    for words in ("undo", "fork from it", "known-good", "hold the ses"):
        assert says(lines["olga"], words) != says(lines["carol"], words), words
    for words in (ROWS, "its changes", "blame", "go to a version", "follow it"):
        assert says(lines["carol"], words), words


def test_the_messages_of_a_conversation_are_rows(visits: Visits, trip: Trip) -> None:
    for text in ("Hello", "Good bye"):
        said = {"input": {"type": "message", "content": text}}
        said["output"] = {"type": "message", "content": "Yes"}
        answer = trip.console.api.post(f"/v1/sessions/{trip.id}/turns", json=said)
        assert answer.status_code == 201, answer.text
    page = visits.page("carol")
    page.goto(trip.path("conversation"))

    assert says(told(page), ROWS)
    page.keyboard.press("j")
    first = page.locator(".message .version-number").first

    expect(first).to_be_focused()


def test_pages_of_no_project_have_their_keys_too(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol")
    page.goto(f"{trip.console.server.url}/account")

    lines = told(page)
    page.get_by_role("button", name="Keyboard (?)").click()

    expect(page.locator("#keys")).to_be_visible()
    assert says(lines, "this list")
    assert not says(lines, "search all sessions")
    assert not says(lines, "go to a page")
