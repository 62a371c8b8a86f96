"""A real browser against a real server: people who are signed in, sessions to look at.

The browser lives as long as this folder's tests: while it runs, its event loop would
keep Django's ORM from being used in this process, which tests of other folders do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser import busy_project
from tests.browser.busy_project import BusyProject
from tests.browser.looking import Looker
from tests.browser.signing_in import signed_in
from tests.live import Server, manage

CHROMIUM = Path(os.environ.get("STEPBACK_CHROMIUM", "/usr/bin/chromium"))
PROJECT = "browsing"
PEOPLE = {"alice": "admin", "olga": "operator", "carol": "viewer"}
# What a page's content policy refused, told like any other complaint.
POLICY = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`content policy: ${event.violatedDirective} ${event.blockedURI}`);
});
"""
# Chromium draws an address bar for each window, as pages with processes of their own,
# though none is seen: half a second of a processor for each person. The others are
# what Playwright does without, whose list this one takes the place of.
WITHOUT = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "LensOverlay"),
    *("MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"),
    *("OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"),
    "PreconnectToSearch",
)
# A machine that is busy with other tests may take its time.
PATIENCE = 30_000
# What a page is made of.
PARTS = {"font", "image", "script", "stylesheet"}
REFUSED = "Failed to load resource: the server responded with a status of 4"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip where there is no browser, but never where CI runs the tests."""
    if CHROMIUM.exists() or os.environ.get("CI") == "true":
        return
    reason = f"there is no {CHROMIUM}; STEPBACK_CHROMIUM names another"
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.skip(reason=reason))


@dataclass
class Console:
    """The server, a client of its API, and links that sign people in once."""

    server: Server
    api: httpx.Client
    links: dict[str, str]
    states: dict[str, Any] = field(default_factory=dict)

    def path(self, session_id: str, *rest: Any) -> str:
        where = [self.server.url, "console", PROJECT, "sessions", session_id, *rest]
        return "/".join(map(str, where))


@pytest.fixture(scope="session")
def console(live: Server) -> Iterator[Console]:
    secret = live.key(PROJECT)
    links = {}
    for name, role in PEOPLE.items():
        manage(live.dsn, "create_user", name, "--project", PROJECT, "--role", role)
        links[name] = link_of(live, name)
    with live.client(secret) as api:
        yield Console(live, api, links)


def link_of(server: Server, name: str, project: str = PROJECT) -> str:
    """Return a link that signs somebody in once."""
    # Tests of something else may have made projects on this server before.
    link = ["signin_link", "--project", project, "--user", name]
    printed = manage(server.dsn, *link, "--base-url", server.url)
    return next(word for word in printed.split() if "/signin/" in word)


@pytest.fixture(scope="session")
def busy(console: Console) -> Iterator[BusyProject]:
    """A project that goes on and on; the same people have the same roles there."""
    server = console.server
    with server.client(server.key(busy_project.SLUG)) as api:
        made = busy_project.make(server, api, PEOPLE)
        # Who comes into another project is signed out, and their links end.
        console.states.clear()
        console.links.update({name: link_of(server, name) for name in PEOPLE})
        yield made


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM),
            args=["--no-sandbox", f"--disable-features={','.join(WITHOUT)}"],
        )
        yield browser
        browser.close()


@dataclass
class Visits:
    """Opens pages for people; at the end none may have complained."""

    console: Console
    browser: Browser
    contexts: list[BrowserContext] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def page(self, name: str, **options: Any) -> Page:
        """Return an empty page of this person, in a browser of their own."""
        known = self.console.states.get(name)
        if known is None:
            known = self._signed_in(name)
        return self.strangers_page(storage_state=known, **options)

    def strangers_page(self, **options: Any) -> Page:
        """Return an empty page of somebody who is not signed in."""
        context = self.browser.new_context(**options)
        self.contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(POLICY)
        page = context.new_page()
        _wait_before_keys(page)
        page.on("console", self._heard)
        page.on("response", self._answered)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def _signed_in(self, name: str) -> Any:
        state = signed_in(self.browser, self.console.links[name])
        self.console.states[name] = state
        return state

    def _answered(self, response: Any) -> None:
        # A page may be refused; what one is made of is there.
        if response.status >= 400 and response.request.resource_type in PARTS:
            self.complaints.append(f"{response.status} for {response.url}")

    def _heard(self, message: Any) -> None:
        # That the server refused something is a browser's note, no fault of a page.
        if message.type == "error" and not message.text.startswith(REFUSED):
            self.complaints.append(message.text)


def _wait_before_keys(page: Page) -> None:
    """Have keys pressed once a page is loaded: its script that hears them comes last.

    What a page shows is there before that, and a test that saw it may be as fast.
    """
    press = page.keyboard.press

    def pressed(key: str, **options: Any) -> None:
        page.wait_for_load_state()
        press(key, **options)

    page.keyboard.press = pressed  # type: ignore[method-assign]


@pytest.fixture
def visits(console: Console, chromium: Browser) -> Iterator[Visits]:
    opened = Visits(console, chromium)
    yield opened
    for context in opened.contexts:
        context.close()
    assert opened.complaints == []


@dataclass
class Trip:
    """A session that an agent writes to."""

    console: Console
    id: str

    def patch(self, state: dict[str, Any], reasoning: str = "A step") -> int:
        answer = self.console.api.patch(
            f"/v1/sessions/{self.id}/state",
            json={"state": state, "reasoning": reasoning},
        )
        return int(answer.json().get("version", 0))

    @property
    def head(self) -> dict[str, Any]:
        answer = self.console.api.get(f"/v1/sessions/{self.id}/versions?limit=1")
        found: dict[str, Any] = answer.json()["data"][0]
        return found

    @property
    def state(self) -> Any:
        return self.console.api.get(f"/v1/sessions/{self.id}/state").json()["state"]

    def path(self, *rest: Any) -> str:
        return self.console.path(self.id, *rest)


@pytest.fixture
def trip(console: Console) -> Trip:
    """v0 began, v1 found a flight, v2 lost the destination, v3 went on."""
    begun = {
        "agent_id": "travel-agent",
        "user_id": "u_17",
        "initial_state": {"destination": "NYC", "travellers": ["Ann", "Ben"]},
    }
    made = console.api.post("/v1/sessions", json=begun).json()
    trip = Trip(console, made["id"])
    trip.patch({"flight": {"id": "UA1", "seat": None}}, "Found a flight")
    trip.patch({"destination": None}, "User cancelled the hotel")
    trip.patch({"step": "searching"}, "Searching again")
    return trip


@pytest.fixture
def make_trip(console: Console) -> Callable[[dict[str, Any]], Trip]:
    def make(state: dict[str, Any]) -> Trip:
        begun = {"agent_id": "travel-agent", "initial_state": state}
        made = console.api.post("/v1/sessions", json=begun).json()
        return Trip(console, made["id"])

    return make


@pytest.fixture
def looker() -> Looker:
    return Looker()
