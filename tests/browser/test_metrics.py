"""From an alert that fires to the session behind it; and its pages as axe sees them."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Console, Visits
from tests.browser.looking import Looker
from tests.browser.test_everywhere import choose
from tests.live import feed, manage

expect.set_options(timeout=30_000)

MEASURED = "measured"
PAGES = [
    "metrics?window=30d",
    "metrics/rollbacks?window=30d",
    "alerts",
]
# Of the last day a session in every hour, before that one a day; every third was rolled
# back.
MONTH = """
from datetime import timedelta
from django.utils import timezone
from apps.accounts.models import Project
from tests.metrics.make import Told
project, now = Project.objects.get(slug="measured"), timezone.now()
hours = [*range(1, 24), *range(25, 700, 24)]
for count, hour in enumerate(hours):
    at = now - timedelta(hours=hour)
    told = Told(project, at, agent=f"agent-{count % 3}", release=f"r{hour // 400}")
    told.update(at + timedelta(minutes=1))
    if count % 3 == 0:
        told.back(0, at + timedelta(minutes=2), reason="bad_data")
"""
# As far apart as the guide's rules ask.
SWEEPS = """
from datetime import timedelta
from django.utils import timezone
from apps.metrics import alerting
for minutes in (6, 0):
    alerting.sweep(now=timezone.now() - timedelta(minutes=minutes))
"""


@pytest.fixture(scope="module")
def measured(console: Console) -> str:
    """Return the address of a project with a month of sessions, which mara may see."""
    server = console.server
    server.key(MEASURED)
    manage(server.dsn, "create_user", "mara", "--project", MEASURED, "--role", "admin")
    asked = ("signin_link", "--user", "mara", "--project", MEASURED)
    printed = manage(server.dsn, *asked, "--base-url", server.url)
    link = next(word for word in printed.split() if "/signin/" in word)
    console.links["mara"] = link
    manage(server.dsn, "shell", "-c", MONTH)
    feed(server.dsn)
    manage(server.dsn, "shell", "-c", SWEEPS)
    return f"{server.url}/console/{MEASURED}"


def test_from_an_alert_that_fires_to_the_session_behind_it(
    visits: Visits, measured: str
) -> None:
    page = visits.page("mara")
    page.goto(f"{measured}/metrics")
    expect(page.locator(".notice.error")).to_contain_text("Rollback rate, critical")

    page.locator(".side-nav").get_by_role("link", name="Alerts").click()
    firing = page.get_by_role("row").filter(has_text="firing")
    expect(firing).to_have_count(2)
    firing.get_by_role("link", name="Rollback rate, critical").click()
    expect(page.locator(".session-head")).to_contain_text("firing")
    page.get_by_role("link", name="The chart of this time").click()
    # Every hour has one session; where it was rolled back, all of them were.
    point = page.get_by_role("link", name=re.compile("100.0 %: 1 of 1 session"))
    point.last.click()
    rows = page.locator("main tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("bad_data")
    rows.get_by_role("rowheader").get_by_role("link").click()
    head = page.locator(".entry.is-head")
    expect(head).to_contain_text("v2")
    expect(head.locator(".mark")).to_have_text("◆")
    expect(page.locator("#v1")).to_contain_text("set aside by v2")


def test_the_value_of_a_rule_leads_to_its_rollbacks(
    visits: Visits, measured: str
) -> None:
    page = visits.page("mara")
    page.goto(f"{measured}/alerts")
    page.get_by_role("link", name="Rollback rate, warning").click()
    value = page.locator(".tiles .first dd").inner_text()
    rate, sample = re.findall(r"[\d.]+", value)

    page.get_by_role("link", name="The sessions behind the value").click()

    expect(page.locator("main tbody tr")).to_have_count(
        round(float(rate) / 100 * int(sample))
    )


def test_a_rule_is_made_silenced_and_deleted(
    visits: Visits, measured: str, looker: Looker
) -> None:
    page = visits.page("mara")
    page.goto(f"{measured}/alerts")
    page.get_by_role("link", name="New rule").click()

    page.get_by_label("Name", exact=True).fill("Agent 2 goes wrong")
    page.get_by_label("Of sessions, calls or turns, at least").fill("1")
    page.get_by_role("button", name="Show what it would do").click()
    expect(page.locator("main .notice")).to_contain_text("In the last 14 days it would")
    looker.look(page, "what a rule would do")
    page.get_by_label("Agent, empty for all", exact=True).fill("nobody")
    page.get_by_role("button", name="Make the rule").click()
    expect(page.locator("#id_agent_error")).to_contain_text("no such agent")
    looker.look(page, "a rule of nobody")
    page.get_by_label("Agent, empty for all", exact=True).fill("agent-2")
    page.get_by_role("button", name="Make the rule").click()
    page.get_by_role("button", name="For 8 h").click()
    expect(page.locator("main")).to_contain_text("Silenced until")
    page.get_by_role("button", name="End the silence").click()
    expect(page.locator("main")).not_to_contain_text("Silenced until")
    page.get_by_label("Until (UTC)").fill("yesterday")
    page.get_by_role("button", name="Silence", exact=True).click()
    expect(page.locator("#id_until_error")).to_contain_text("A date or a time")
    looker.look(page, "a silence that cannot be")
    page.locator(".side-nav").get_by_role("link", name="Alerts").click()
    page.get_by_role("link", name="Agent 2 goes wrong").click()
    page.get_by_text("Delete…").click()
    page.get_by_role("button", name="Delete the rule").click()
    expect(page.locator("main")).to_contain_text("The rule is deleted.")
    expect(page.locator("tbody")).not_to_contain_text("Agent 2")

    assert looker.found == {}


def test_days_and_hours_are_those_of_the_reader(visits: Visits, measured: str) -> None:
    page = visits.page("mara", timezone_id="America/New_York")
    here = visits.page("mara", timezone_id="UTC")
    words = page.locator("main")
    point = page.locator(".chart a[aria-label]").last

    page.goto(f"{measured}/metrics?window=30d")
    expect(words).to_contain_text("Times are UTC.")
    expect(point).to_have_attribute("aria-label", re.compile(", 00:00 UTC, "))
    # The choice is the server's at once, and on every page from then on.
    choose(page, "Local")
    expect(words).to_contain_text("Times are America/New_York.")
    expect(words).to_contain_text("Hours are those of America/New_York.")
    expect(point).to_have_attribute("aria-label", re.compile(r", 00:00 E[SD]T, "))
    link = point.get_attribute("href")
    assert link is not None
    assert re.search(r"from=[^&]*T0[45]%3A00%3A00%2B00%3A00", link)
    expect(page.get_by_role("link", name=re.compile("00:00 UTC"))).to_have_count(0)

    # Whose clocks are on UTC sees another week, of the same numbers.
    here.goto(f"{measured}/metrics?window=30d")
    choose(here, "Local")
    expect(here.locator("main")).to_contain_text("Times are UTC.")
    assert cells(page) != cells(here)
    assert sum(cells(page).values()) == sum(cells(here).values()) >= 50

    choose(page, "UTC")
    expect(words).to_contain_text("Times are UTC.")
    assert [one["name"] for one in page.context.cookies()].count("stepback_zone") == 0


def cells(page: Page) -> dict[str, int]:
    """Return how many sessions the heat map has in each hour of the week."""
    told = page.locator(".heat g:has(rect) > title").all_text_contents()
    found = [re.match(r"(\w+ \d\d:00) .*: .* of (\d+) sessions", one) for one in told]
    return {one[1]: int(one[2]) for one in found if one}


def test_a_range_is_typed_by_the_readers_clocks(visits: Visits, measured: str) -> None:
    page = visits.page("mara", timezone_id="America/New_York")
    page.goto(f"{measured}/metrics")
    choose(page, "Local")

    page.get_by_label("From (America/New_York)").fill("2026-01-31T12:00")
    page.get_by_label("To (America/New_York)").fill("2026-02-01T12:00")
    page.get_by_label("Time", exact=True).select_option("a range")
    page.get_by_role("button", name="Show").click()

    expect(page.get_by_label("From (America/New_York)")).to_have_value(
        "2026-01-31T12:00"
    )
    shown = page.locator("main p.hint time").first
    expect(shown).to_have_attribute("datetime", "2026-01-31T17:00:00+00:00")


def test_a_browser_that_keeps_no_cookie_of_it_reads_utc(
    visits: Visits, measured: str
) -> None:
    page = visits.page("mara", timezone_id="Asia/Kolkata")
    page.add_init_script("""
      Object.defineProperty(document, "cookie", { get: () => "", set: () => {} });
    """)
    loads: list[str] = []
    page.on("load", lambda _: loads.append(page.url))
    page.goto(f"{measured}/metrics")
    choose(page, "Local")

    expect(page.locator("main p.hint time").first).to_have_text(re.compile("local$"))
    expect(page.locator("main")).to_contain_text("Times are UTC.")
    assert len(loads) == 1


def test_an_old_name_of_a_zone_is_known(visits: Visits, measured: str) -> None:
    page = visits.page("mara", timezone_id="Asia/Kolkata")
    page.goto(f"{measured}/metrics")
    choose(page, "Local")

    # Chromium says Asia/Calcutta.
    expect(page.locator("main")).to_contain_text("Times are Asia/Kolkata.")


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing(
    visits: Visits, measured: str, looker: Looker, width: int
) -> None:
    page = visits.page("mara", viewport={"width": width, "height": 900})

    for where in PAGES:
        page.goto(f"{measured}/{where}")
        # There is something to look at.
        told = "main tbody a[href], .chart .spot"
        assert page.locator(told).count() >= 2
        assert page.evaluate("document.documentElement.scrollWidth") <= width, where
        looker.look(page, where)
    page.goto(f"{measured}/alerts")
    page.get_by_role("link", name="Rollback rate, critical").click()
    expect(page.locator(".session-head")).to_contain_text("firing")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    looker.look(page, "a rule")

    assert looker.found == {}
