"""Six phone calls: from Home to what the agent did, in at most three pages.

The runs are posted by the command line, to a real server: those that STEPBACK_RUNS
names, or six that are made by hand. Who calls says a reservation, an id or what they
said; the second page lists the sessions, the third is the answer.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from stepback.cli.__main__ import main
from tests.browser.conftest import Console, Visits, link_of
from tests.browser.phone_runs import MADE, NAMES, RUNS, Story, recorded
from tests.browser.signing_in import signed_in
from tests.live import feed, manage

expect.set_options(timeout=30_000)
PROJECT = "phones"
RECORDED = os.environ.get("STEPBACK_RUNS")
PAGES = 3
FIRST = 3


@pytest.fixture(scope="module")
def stories() -> dict[str, Story]:
    """The six, made by hand or found among the recorded runs."""
    return recorded(Path(RECORDED)) if RECORDED else MADE


@pytest.fixture(scope="module")
def phones(
    console: Console, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The sessions of the runs, which were posted, and the worker has read them."""
    server = console.server
    secret = server.key(PROJECT)
    file = Path(RECORDED or tmp_path_factory.mktemp("phones") / "runs.jsonl")
    if not RECORDED:
        file.write_text("".join(f"{json.dumps(run)}\n" for run in RUNS))
    at = ["--url", server.url, "--key", secret, "--json"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main([*at, "post", str(file), "--agent", "airline-support"]) == 0
    feed(server.dsn)
    manage(server.dsn, "create_user", "sue", "--project", PROJECT, "--role", "viewer")
    told = [json.loads(line) for line in printed.getvalue().splitlines()]
    return {one["name"]: one["session_id"] for one in told}


class Caller:
    """Somebody who answers a call, and the pages that they came through."""

    def __init__(self, page: Page, home: str) -> None:
        self.page = page
        self.pages: list[str] = []
        page.goto(home)
        self._note()

    def hears(self, words: str, session: str) -> Page:
        """Look for what the caller says, from Home, and open what is meant.

        It has to be among the first three.
        """
        self.page.keyboard.press("Control+k")
        self.page.keyboard.type(words)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/sessions?*")
        self._note()
        links = self.page.locator("tbody th a[title^='sess_']")
        expect(links.first).to_be_visible()
        found = [one.get_attribute("title") for one in links.all()[:FIRST]]
        assert session in found
        links.nth(found.index(session)).click()
        self.page.wait_for_url(re.compile(r"/sessions/sess_\w+"))
        self._note()
        return self.page

    def _note(self) -> None:
        self.pages.append(self.page.url)


@pytest.fixture(scope="module")
def sue(console: Console, phones: dict[str, str], chromium: Browser) -> Any:
    """Who answers the calls, signed in."""
    return signed_in(chromium, link_of(console.server, "sue", PROJECT))


@pytest.fixture
def caller(visits: Visits, console: Console, sue: Any) -> Iterator[Caller]:
    page = visits.strangers_page(storage_state=sue)
    called = Caller(page, f"{console.server.url}/console/{PROJECT}")
    yield called
    assert len(set(called.pages)) == PAGES


@pytest.mark.parametrize("name", NAMES)
def test_the_page_that_a_call_leads_to_answers_it(
    caller: Caller, stories: dict[str, Story], phones: dict[str, str], name: str
) -> None:
    story = stories[name]

    page = caller.hears(story.says, phones[story.run])

    for words in story.pane:
        expect(page.locator("#version-pane")).to_contain_text(words)
    for words in story.main:
        expect(page.locator("main")).to_contain_text(words)
    if story.entries is not None:
        words, count = story.entries
        expect(page.locator(".entry:not(.fold)", has_text=words)).to_have_count(count)
    if story.is_fine:
        expect(page.locator("main")).to_contain_text("Nothing looks wrong")
        expect(page.get_by_text("What looks wrong")).to_have_count(0)
