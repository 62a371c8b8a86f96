"""The whole story by keyboard alone: from an order number to many put right, and back.

An order number, the session, since when, 41 sessions, the incident, a fork, the fix,
its promotion with one conflict, the plan for all, and its undo: with a real worker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PROJECT, Console, Visits
from tests.browser.test_acts_by_keyboard import reach
from tests.worker.processes import working

expect.set_options(timeout=30_000)
N = 41


@dataclass
class Orders:
    """Sessions in which one release lost the place that each order goes to."""

    console: Console
    mark: str
    ids: list[str]

    @property
    def place(self) -> str:
        return f"place_{self.mark}"

    @property
    def first(self) -> str:
        return self.ids[0]

    def state(self, session_id: str) -> dict[str, object]:
        answer = self.console.api.get(f"/v1/sessions/{session_id}/state")
        found: dict[str, object] = answer.json()["state"]
        return found

    def places(self) -> set[object]:
        return {self.state(one)[self.place] for one in self.ids[1:]}


@pytest.fixture
def orders(console: Console) -> Orders:
    mark = uuid4().hex[:8]
    ids = []
    for n in range(N):
        begun = {
            "agent_id": f"orders-{mark}",
            "external_id": f"order-{mark}-{n}",
            "initial_state": {f"place_{mark}": "NYC", "n": n},
        }
        ids.append(console.api.post("/v1/sessions", json=begun).json()["id"])
        for state in ({"flight": "UA1"}, {f"place_{mark}": None}, {"step": "lost"}):
            said = {"state": state, "release": f"r-{mark}"}
            answer = console.api.patch(f"/v1/sessions/{ids[-1]}/state", json=said)
            assert answer.status_code == 200
    return Orders(console, mark, ids)


@pytest.fixture
def worker(console: Console, tmp_path: Path) -> Iterator[None]:
    with working(console.server.dsn, tmp_path / "log"):
        yield


def press(
    page: Page, role: str, name: str | re.Pattern[str], key: str = "Enter"
) -> None:
    """Go to a link or a button by Tab, and press it."""
    target = page.get_by_role(role, name=name).first  # type: ignore[arg-type]
    reach(page, target)
    page.keyboard.press(key)


def find_by_its_number(page: Page, orders: Orders) -> None:
    # The one address of the story: every other page is reached from the one before.
    page.goto(f"{orders.console.server.url}/console/{PROJECT}")
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(page.locator("h1")).to_contain_text("essions")
    reach(page, page.locator("main #find, main input[name=q]").first)
    page.keyboard.type(f"order-{orders.mark}-0")
    page.keyboard.press("Enter")
    link = page.locator(f'.title a[href*="{orders.first}"]')
    reach(page, link)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(orders.first))


def step_back(page: Page, *, to: int) -> None:
    """Go from the head of the session to an earlier version."""
    for number in range(2, to - 1, -1):
        page.keyboard.press("[")
        expect(page).to_have_url(re.compile(rf"/versions/{number}\b"))


def ask_since_when(page: Page, orders: Orders) -> None:
    step_back(page, to=2)
    page.keyboard.press("n")
    page.keyboard.press("b")
    press(page, "link", "Since when is this so?")
    expect(page.locator("h1")).to_contain_text("v2 broke it first")


def open_the_incident(page: Page, orders: Orders) -> str:
    """Return the address of the incident with all of them."""
    press(page, "link", "Find others")
    expect(page.locator("main")).to_contain_text(str(N))
    page.go_back()
    press(page, "link", "Open an incident…")
    expect(page.locator("h1")).to_have_text(f"Open an incident with {N} sessions?")
    reach(page, page.get_by_label("What went wrong"))
    page.keyboard.type("Orders go nowhere")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(re.compile(r"#\d+ Orders go nowhere"))
    return page.url


def fork_with_the_fix(page: Page, orders: Orders) -> None:
    member = page.locator(f'main a[href*="{orders.first}"]').first
    reach(page, member)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(orders.first))
    step_back(page, to=1)
    page.keyboard.press("f")
    expect(page.locator("h1")).to_have_text("Fork v1 with edits")
    reach(page, page.get_by_label("State (JSON)"))
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(f'{{"{orders.place}": "New York", "n": 0}}')
    page.keyboard.press("Control+Enter")
    press(page, "link", "Bring this fix back…")
    expect(page.locator("h1")).to_contain_text("Bring in what the fork")


def promote_it(page: Page, orders: Orders) -> None:
    page.keyboard.press("n")
    expect(page.locator("[data-conflict]")).to_have_count(1)
    expect(page.locator("[data-conflict]")).to_be_focused()
    page.keyboard.press("2")
    page.keyboard.press("u")
    confirm = page.get_by_role("button", name="Bring it in")
    expect(confirm).to_be_visible()
    reach(page, confirm)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".toast")).to_contain_text("What the fork had made")
    state = orders.state(orders.first)
    assert (state[orders.place], state["step"]) == ("New York", "lost")


def confirm_all(page: Page, n: int) -> None:
    reach(page, page.get_by_label(re.compile("^Why")))
    page.keyboard.type("A bad release")
    reach(page, page.get_by_label(f"Type {n} to confirm"))
    page.keyboard.type(str(n))
    page.keyboard.press("Control+Enter")


def test_from_an_order_number_to_all_put_right_and_back(
    visits: Visits, orders: Orders, worker: None
) -> None:
    page = visits.page("olga")

    find_by_its_number(page, orders)
    ask_since_when(page, orders)
    incident = open_the_incident(page, orders)
    fork_with_the_fix(page, orders)
    promote_it(page, orders)

    page.keyboard.press("g")
    page.keyboard.press("i")
    press(page, "link", re.compile("Orders go nowhere"))
    expect(page).to_have_url(incident)
    expect(page.locator(".tiles")).to_contain_text(f"Do not pass{N}")
    press(page, "button", "Roll back…")
    expect(page.get_by_label(f"Type {N} to confirm")).to_be_visible()
    confirm_all(page, N)
    expect(page.locator("h1")).to_have_text(f"{N} sessions rolled back")
    assert orders.places() == {"NYC"}

    page.keyboard.press("z")
    expect(page.locator("h1")).to_contain_text(f"{N} sessions?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("h1")).to_contain_text("undone")
    assert orders.places() == {None}
    assert orders.state(orders.first)[orders.place] == "New York"
