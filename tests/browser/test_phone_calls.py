"""Six phone calls: from Home to what the agent did, in at most three pages.

The runs are posted by the command line, to a real server. Who calls says a reservation,
an id or what they said; the second page lists the sessions, the third is the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from stepback.cli.__main__ import main
from tests.browser.conftest import Console, Visits, link_of
from tests.browser.phone_runs import RUNS
from tests.browser.signing_in import signed_in
from tests.live import manage

expect.set_options(timeout=30_000)
PROJECT = "phones"
PAGES = 3


@pytest.fixture(scope="module")
def phones(console: Console, tmp_path_factory: pytest.TempPathFactory) -> Console:
    """A project to which the six runs were posted."""
    server = console.server
    secret = server.key(PROJECT)
    file = tmp_path_factory.mktemp("phones") / "runs.jsonl"
    file.write_text("".join(f"{json.dumps(run)}\n" for run in RUNS))
    at = ["--url", server.url, "--key", secret]
    assert main([*at, "post", str(file), "--agent", "airline-support"]) == 0
    manage(server.dsn, "create_user", "sue", "--project", PROJECT, "--role", "viewer")
    return console


class Caller:
    """Somebody who answers a call, and the pages that they came through."""

    def __init__(self, page: Page, home: str) -> None:
        self.page = page
        self.pages: list[str] = []
        page.goto(home)
        self._note()

    def hears(self, words: str) -> Page:
        """Look for what the caller says, from Home, and open what is found first."""
        self.page.keyboard.press("Control+k")
        self.page.keyboard.type(words)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/sessions?*")
        self._note()
        self.page.locator("tbody th a[title^='sess_']").first.click()
        self.page.wait_for_url(re.compile(r"/sessions/sess_\w+"))
        self._note()
        return self.page

    def _note(self) -> None:
        self.pages.append(self.page.url)


@pytest.fixture(scope="module")
def sue(phones: Console, chromium: Browser) -> Any:
    """Who answers the calls, signed in."""
    return signed_in(chromium, link_of(phones.server, "sue", PROJECT))


@pytest.fixture
def caller(visits: Visits, phones: Console, sue: Any) -> Iterator[Caller]:
    page = visits.strangers_page(storage_state=sue)
    called = Caller(page, f"{phones.server.url}/console/{PROJECT}")
    yield called
    assert len(set(called.pages)) == PAGES


def test_a_reservation_was_cancelled_that_nobody_wanted_cancelled(
    caller: Caller,
) -> None:
    page = caller.hears("QK3RT9")

    pane = page.locator("#version-pane")
    expect(pane).to_contain_text("cancel_reservation")
    expect(pane).to_contain_text("/called/2")
    expect(page.locator("h1, .session-title").first).to_contain_text("booked last week")


def test_a_certificate_was_of_the_wrong_amount(caller: Caller) -> None:
    page = caller.hears("sofia_silva_75")

    pane = page.locator("#version-pane")
    expect(pane).to_contain_text("send_certificate")
    expect(pane).to_contain_text("500")


def test_a_change_of_name_was_refused(caller: Caller) -> None:
    page = caller.hears("PL7742")

    expect(page.locator("main")).to_contain_text("please put Marta Kowalczyk there")
    expect(page.locator("main")).to_contain_text("cannot be changed on this fare")
    expect(page.locator("main")).to_contain_text("Nothing looks wrong")


def test_a_flight_was_moved_twice(caller: Caller) -> None:
    page = caller.hears("MZ20IO")

    pane = page.locator("#version-pane")
    expect(pane).to_contain_text("HAT244")
    # The first move is on the same page, as an entry of its own.
    moves = page.locator(".entry", has_text="update_reservation_flights")
    expect(moves).to_have_count(2)


@pytest.mark.parametrize("words", ["noah_muller_98", "GV1N66"])
def test_nothing_went_wrong_is_an_answer(caller: Caller, words: str) -> None:
    page = caller.hears(words)

    expect(page.locator("main")).to_contain_text("Nothing looks wrong")
    expect(page.get_by_text("What looks wrong")).to_have_count(0)
