"""Screenshots of the console's pages, for people to look at.

    python -m tests.browser.screenshots FOLDER [NAME ...]

Starts a server of its own with the demo project and one of odd content, and writes each
page (or those whose names begin so) at 1440 and 390 pixels, in light and in dark. Pages
of the second are named `odd-`. Nothing is compared.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import django
import httpx
from playwright.sync_api import Page, sync_playwright

from apps.core.roles.names import Role
from tests.browser import odd_content
from tests.browser.signing_in import signed_in

SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
SCHEMES = ("light", "dark")
LOAD = """
import django; django.setup()
from django.utils import timezone
from apps.demo import week
from apps.core.actors import SYSTEM
project = week.begin(actor=SYSTEM, now=timezone.now())
week.load(project, is_stopping=lambda: False)
from apps.metrics import operations
from tests.acts import act_in, act_by
many = {"name": "Too many rollbacks", "threshold": 0.05, "window": "30d"}
many |= {"minimum_sample": 10, "for_minutes": 0, "email": "oncall@example.com"}
operations.make_rule(fields=many, act=act_in(project))
"""
# What the demo lacks: acts on many sessions, of which the worker has done two before
# the third is looked at.
PLANS = """
from apps.accounts.models import Project
from apps.plans import operations as plans
from apps.timeline.models import Session
from tests.acts import act_in
act = act_in(Project.objects.get(slug="demo"))
mine = Session.objects.of_agent(act.project_id, "travel-agent").newest_first()
ids = list(mine.values_list("id", flat=True))
def planned(kind, first):
    picked = plans.Picked(session_ids=ids[:first], query="agent:travel-agent")
    return plans.make(act=act, kind=kind, picked=picked)
"""
CONFIRMED = """
for kind, first in (("export", 60), ("hold", 12)):
    made = planned(kind, first)
    plans.confirm(act=act, plan_id=made.id, reason="Bad release")
"""
ERASED = """
from apps.accounts.models import Project
from apps.erasures import operations as erasures
from tests.acts import act_in
act = act_in(Project.objects.get(slug="demo"))
seen = erasures.preview(act=act, user_id="cust_3021")
erasures.begin(act=act, preview_id=seen.id, reason="Asked by mail, ticket 4411")
"""
SHOWN = """
planned("hold", 20)
"""
SWEEP = """
from django.utils import timezone
from apps.metrics import alerting
from apps.plans import running
alerting.sweep(now=timezone.now())
while running.sweep(now=timezone.now()):
    pass
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("INSERT INTO procrastinate_workers (last_heartbeat) "
                   "VALUES (now() + interval '1 hour')")
"""
LOOKED = """
from django.utils import timezone
from apps.incidents import looking
looking.sweep(now=timezone.now())
"""
# What to open, below the project; {trip} is the traveller's session, {fork} its fork,
# {run} one that keeps its messages.
PAGES = {
    "home": "",
    "sessions": "/sessions?q=",
    "search": "/sessions?q=ever%3Astate.destination%3DNYC+rolled-back%3Ayes",
    "id": "/sessions?q=booking-TRV",
    "unknown": "/sessions?q=cust_9999",
    "typo": "/sessions?q=agnet%3Atravel+age%3C2h",
    "nothing": "/sessions?q=user%3Anobody",
    "session": "/sessions/{trip}",
    "conversation": "/sessions/{trip}/conversation?version=6",
    "conversation-kept": "/sessions/{run}/conversation",
    "bisect": "/sessions/{trip}/bisect?check=NOT%20state.destination%3Dnull&every=1",
    "bisect-eye": "/sessions/{trip}/bisect?by=eye&good=1&bad=10&tried=5g&every=1",
    "version": "/sessions/{trip}/versions/6",
    "state": "/sessions/{trip}/versions/6?tab=state",
    "side": "/sessions/{trip}/versions/6?view=side",
    "turns": "/sessions/{trip}/versions/6?tab=turns",
    "checkpoint": "/sessions/{trip}/versions/6?tab=checkpoint",
    "proof": "/sessions/{trip}/versions/10?tab=proof&verify=on",
    "blame": "/sessions/{trip}/versions/6/blame?pointer=/destination",
    "value": "/sessions/{trip}/versions/6/value?pointer=/travellers",
    "compare": "/compare?right={fork}",
    "compare-pick": "/compare?left={fork}&pick=right",
    "mapping": "/agents/{agent}/mapping",
    "close": "/sessions/{trip}/close",
    "rollback": "/sessions/{trip}/versions/5/rollback",
    "merge": "/sessions/{trip}/merge?verb=revert&first=5&last=6",
    "merge-fork": "/sessions/{trip}/merge?verb=promote&fork={fork}",
    "merge-pick": "/sessions/{trip}/merge",
    "fork": "/sessions/{trip}/versions/5/fork",
    "lineage": "/sessions/{trip}/lineage",
    "keeping": "/keeping",
    "agents": "/agents",
    "agent": "/agents/{agent}",
    "agent-data": "/agents/{agent}/data",
    "agent-data-under": "/agents/{agent}/data?under=user%3Acust_3021%3A",
    "agent-key": "/agents/{agent}/data/key?key=user%3Acust_3021%3Apreferences",
    "agent-config": "/agents/{agent}/config",
    "agent-config-old": "/agents/{agent}/config/versions/1",
    "agent-checkpoints": "/agents/{agent}/checkpoints",
    "agent-checkpoints-compare": (
        "/agents/{agent}/checkpoints/compare?first={older}&second={newer}"
    ),
    "agent-restore": "/agents/{agent}/checkpoints/at/{older}",
    "agent-audit": "/agents/{agent}/audit",
    "agent-audit-verify": "/agents/{agent}/audit/verify",
    "agent-blocked": "/agents/{agent}/blocked",
    "metrics": "/metrics?window=30d",
    "metrics-rollbacks": "/metrics/rollbacks?window=30d",
    "incidents": "/incidents",
    "incident": "/incidents/at/{incident}",
    "incident-report": "/incidents/at/{incident}/report",
    "incident-open": "/incidents/open?q=agent%3Atravel-agent",
    "plans": "/plans",
    "plan": "/plans/{plan}",
    "plan-over": "/plans/{over}",
    "alerts": "/alerts",
    "alert": "/alerts/{rule}",
    "alert-new": "/alerts/new",
    "webhooks": "/webhooks",
    "audit": "/audit",
    "memories": "/memories",
    "audit-all": "/audit?show=all",
    "verify": "/audit/verify",
    "members": "/members",
    "keys": "/keys",
    "not-found": "/sessions/sess_00000000000000000000000000",
    "open-waiting": "/open/waiting",
    "open-flagged": "/open/flagged",
    "open-held": "/open/held",
    "meaning": "/meaning?q=cancel+the+hotel",
    "memory": "/memories/at/{memory}",
    "memories-back": "/memories/back?session={trip}",
    "agent-allow": "/agents/{agent}/blocked/{blocked}/allow",
    "policies": "/policies",
    "webhook": "/webhooks/{webhook}",
    "exports": "/keeping/exports",
    "erasures": "/keeping/erasures",
    "erasure": "/keeping/erasures/{erased}",
    "erasure-begun": "/keeping/erasures/{erasing}",
    "erasure-preview": "/keeping/erasures/previews/{previewed}",
    "text-sides": "/sessions/{trip}/versions/6/value?pointer=/user_request&against=5",
    # What only an act shows; see `ACTS`.
    "moved": "/sessions/{trip}/versions/5/rollback",
    "hold": "/sessions/{trip}",
    "palette": "/sessions/{trip}",
    "key-list": "/sessions/{trip}",
    "toast": "/sessions/{fork}/versions/0/rollback",
}
OUTSIDE = {
    "password": "/password",
    "signed-out": "/signin/used-up",
    "projects": "/console/",
    "account": "/account",
    "empty": "/console/empty",
    "components": "/console/components",
}


def moved(page: Page) -> None:
    """Send the preview as if the head had been another when it was shown."""
    page.locator("[name=expected]").evaluate("one => { one.value -= 1; }")
    page.locator("[data-confirms]").click()
    page.get_by_text("The session has moved on").wait_for()


def rolled_back(page: Page) -> None:
    """Step back, and show what says so; where that is done already, the page alone."""
    confirm = page.locator("[data-confirms]")
    if confirm.count():
        confirm.click()
        page.locator(".toast").wait_for()


# What is done on a page before it is photographed.
ACTS: dict[str, Callable[[Page], None]] = {
    "moved": moved,
    "toast": rolled_back,
    "hold": lambda page: page.keyboard.press("h"),
    "palette": lambda page: page.keyboard.press("Control+k"),
    "key-list": lambda page: page.keyboard.press("?"),
}
# In a dialog the window is looked at: the page behind it goes on.
IN_WINDOW = {"palette", "key-list", "hold", "toast"}


def main(folder: Path, names: list[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from tests.live import ROOT, environment, feed, manage, serving

    folder.mkdir(parents=True, exist_ok=True)
    with (
        serving("screenshots", is_debug=True) as server,
        sync_playwright() as playwright,
    ):
        subprocess.run(
            [sys.executable, "-c", LOAD],
            cwd=ROOT,
            env=environment(server.dsn),
            check=True,
        )
        feed(server.dsn)
        run(server.dsn, PLANS + CONFIRMED, Role.WEB)
        run(server.dsn, SWEEP, Role.WORKER)
        run(server.dsn, PLANS + SHOWN, Role.WEB)
        run(server.dsn, ERASED, Role.WEB)
        manage(server.dsn, "erase", role=Role.RETENTION)
        server.key("empty")
        with server.client(server.key("demo", "--scope", "admin")) as api:
            more = kept(api)
            keeping(server.dsn, api)
        run(server.dsn, LOOKED, Role.WORKER)
        with server.client(server.key(odd_content.SLUG)) as api:
            odd = {f"odd-{name}": at for name, at in odd_content.make(api).items()}
        feed(server.dsn)
        link = ("signin_link", "--project", "demo", "--base-url", server.url)
        # The first link makes the user; a new role ends it.
        manage(server.dsn, *link)
        for other in (odd_content.SLUG, "empty"):
            manage(server.dsn, "set_role", "admin", "admin", "--project", other)
        elsewhere = f"{server.url}/console/{odd_content.SLUG}"
        printed = manage(server.dsn, *link)
        chromium = os.environ.get("STEPBACK_CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        state = signed_in(browser, printed.split()[-1])
        for scheme in SCHEMES:
            for size, (width, height) in SIZES.items():
                context = browser.new_context(
                    storage_state=state,
                    color_scheme=scheme,
                    viewport={"width": width, "height": height},
                )
                page = context.new_page()
                known = addresses(page, server, more)
                known |= {name: elsewhere + path for name, path in odd.items()}
                for name, url in known.items():
                    if names and not name.startswith(tuple(names)):
                        continue
                    page.goto(url)
                    ACTS.get(name, lambda _: None)(page)
                    page.screenshot(
                        path=folder / f"{name}-{size}-{scheme}.png",
                        full_page=name not in IN_WINDOW,
                    )
                context.close()
        browser.close()


def keeping(dsn: str, api: httpx.Client) -> None:
    """Have a policy that is on and one that is not, what one took, and holds."""
    from tests.live import manage

    at = "/v1/retention"
    found = api.get("/v1/sessions?agent_id=travel-agent&limit=1").json()["data"][0]
    until = (datetime.now(UTC) + timedelta(days=90)).isoformat()
    for kind, value, more in (
        ("session", found["id"], {"until": until}),
        ("user", found["user_id"], {}),
    ):
        said = {"kind": kind, "value": value, "reason": "Smith v. Jones"} | more
        api.post(f"{at}/legal-holds", json=said).raise_for_status()
    days = {"thin_days": 1, "empty_days": 2, "keep_last": 3}
    for more in (days, {"agent_id": "travel-agent", "remove_days": 365}):
        policy = api.post(f"{at}/policies", json=more).json()["id"]
        preview = api.post(f"{at}/previews", json={"policy_id": policy}).json()["id"]
        manage(dsn, "retention", "--once", role=Role.RETENTION)
        if more is days:
            said = {"preview_id": preview}
            api.post(f"{at}/policies/{policy}/enable", json=said).raise_for_status()
    manage(dsn, "retention", "--once", role=Role.RETENTION)


def run(dsn: str, script: str, role: Role) -> None:
    """Do on that database what a process with this role does."""
    from tests.live import manage

    manage(dsn, "shell", "--no-imports", "-c", script, role=role)


def kept(api: httpx.Client) -> dict[str, str]:
    """Make what the demo lacks, a memory and a webhook; return what addresses need."""
    found = api.get("/v1/sessions?agent_id=travel-agent&limit=1").json()["data"][0]
    said = {"content": "Prefers aisle seats", "session_id": found["id"]}
    hook = {"url": "https://receiver.example/hook", "events": ["session.rolled_back"]}
    agents = api.get("/v1/agents").json()["data"]
    agent = next(one["id"] for one in agents if one["external_id"] == "travel-agent")
    records = api.get(f"/v1/agents/{agent}/audit").json()["events"]
    seen = {"user_id": found["user_id"]}
    previews = [api.post("/v1/erasures/previews", json=seen).json() for _ in range(2)]
    begun = {"preview_id": previews[1]["id"], "reason": "Asked by mail"}
    erasing = api.post("/v1/erasures", json=begun).json()["id"]
    blocked = [one["number"] for one in records if one["result"] == "blocked"]
    wrong = {"title": "The trip is lost when only part of it is cancelled"}
    wrong |= {"search": "agent:travel-agent", "check": "NOT state.destination=null"}
    incident = api.post("/v1/incidents", json=wrong).raise_for_status().json()["id"]
    said_of = {"text": "u_98 was rolled back by hand, the customer confirmed."}
    api.post(f"/v1/incidents/{incident}/notes", json=said_of).raise_for_status()
    return {
        "incident": incident,
        "memory": api.post("/v1/memories", json=said).json()["id"],
        "webhook": api.post("/v1/webhooks", json=hook).json()["id"],
        "blocked": str(blocked[0]),
        "previewed": previews[0]["id"],
        "erasing": erasing,
    }


def addresses(page: Page, server: Any, more: dict[str, str]) -> dict[str, str]:
    """Return where each page of the demo is."""
    base = f"{server.url}/console/demo"
    agent = first_of(page, f"{base}/agents?owner=travel-team")
    names = {
        "trip": first_of(page, f"{base}/sessions?q=external%3Abooking-TRV-48213"),
        "fork": first_of(page, f"{base}/sessions?q=external%3Adebug-TRV-48213"),
        "run": first_of(page, f"{base}/sessions?q=agent%3Aresearch-agent"),
        "agent": agent,
        "rule": first_of(page, f"{base}/alerts"),
        "newer": first_of(page, f"{base}/agents/{agent}/checkpoints"),
        "older": first_of(page, f"{base}/agents/{agent}/checkpoints", 2),
        "plan": first_of(page, f"{base}/plans"),
        "over": first_of(page, f"{base}/plans", 1),
        "erased": first_of(page, f"{base}/keeping/erasures", 1),
        **more,
    }
    inside = {name: base + path.format(**names) for name, path in PAGES.items()}
    return inside | {name: server.url + path for name, path in OUTSIDE.items()}


def first_of(page: Page, address: str, place: int = 0) -> str:
    """Return the last part of where the first row of a list leads, or a later one."""
    page.goto(address)
    links = page.locator("tbody th a:not(.fork, .facets a)")
    found = links.nth(place).get_attribute("href")
    assert found is not None, "The demo lacks what is to be shown."
    # Without the list that the row was opened from.
    return found.partition("?")[0].rpartition("/")[2]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
