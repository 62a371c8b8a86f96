"""Every address of the console in a browser: no rule of axe broken, no policy either.

The addresses come from the URL resolver: a new page is looked at once it is there. Then
what only an act shows: a key, a link, a refusal, an error.
"""

from __future__ import annotations

import json

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import expect

from tests.browser.conftest import PROJECT, Trip, Visits
from tests.browser.looking import Looker
from tests.contracts.routes import page_routes

expect.set_options(timeout=30_000)

# The API's document is shown by a library; what follows a session is part of its page;
# Prometheus is told plain text, and nothing here.
NO_PAGES = {
    "/docs",
    "/console/{slug}/first-session",
    "/console/{slug}/sessions/{session_id}/live",
    "/metrics",
}
OF_NOBODY = ("user_id", "key_id", "view_id", "invitation_id", "public_id", "token")
QUERIES = {
    "/console/{slug}/approvals/{approval_id}": "?do=edit",
    "/console/{slug}/memories/back": "?session={session_id}",
    "/console/{slug}/agents/{agent_id}/data/key": "?key=user:17",
    "/console/{slug}/agents/{agent_id}/checkpoints/compare": (
        "?first={checkpoint_id}&second={later_id}"
    ),
    "/console/{slug}/compare": "?left={session_id}&right={fork_id}",
    "/console/{slug}/sessions/{session_id}/jump": "?go=nonsense",
    "/console/{slug}/sessions/{session_id}/versions/{number}/value": "?pointer=/flight",
    "/console/{slug}/sessions/{session_id}/bisect": (
        "?check=NOT%20state.destination%3Dnull"
    ),
    "/console/{slug}/sessions/{session_id}/merge": "?verb=promote&fork={fork_id}",
    "/console/{slug}/sessions/{session_id}/versions/{number}/blame": (
        "?pointer=/destination"
    ),
}


def samples(trip: Trip) -> dict[str, str]:
    """Return what fills in addresses: a session with a past, a fork, an agent."""
    api = trip.console.api
    api.post(f"/v1/sessions/{trip.id}/notes", json={"text": "Look", "version": 2})
    api.post(f"/v1/sessions/{trip.id}/rollback", json={"version": 1})
    fork = api.post(f"/v1/sessions/{trip.id}/fork", json={"version": 2}).json()["id"]
    for session, city in ((fork, "Berlin"), (trip.id, "Oslo")):
        said = {"state": {"destination": city}}
        api.patch(f"/v1/sessions/{session}/state", json=said)
    agent = api.get("/v1/agents").json()["data"][0]["id"]
    checkpoint, later = keep(trip, agent)
    erased = erasing(trip)
    policy, hold = retain(trip)
    blocked, exception = except_one(trip, agent)
    hook = webhook(trip)
    seats = {"content": "Prefers aisle seats", "session_id": trip.id}
    memory = api.post("/v1/memories", json=seats).json()["id"]
    nearly = seats | {"content": "Prefers aisle seats on trains"}
    api.post("/v1/memories", json=nearly)
    unknown = dict.fromkeys(OF_NOBODY, "nobody")
    return unknown | {
        "slug": PROJECT,
        "kind": "flagged",
        "session_id": trip.id,
        "number": "2",
        "path": "out/report.txt",
        "agent_id": agent,
        "checkpoint_id": checkpoint,
        "later_id": later,
        "blocked": blocked,
        "exception_id": exception,
        "fork_id": fork,
        "webhook_id": hook,
        "memory_id": memory,
        "approval_id": approval(trip),
        "approval_rule_id": approval_rule(trip),
        **schemas(trip),
        "budget_id": budget(trip),
        "name": shared(trip),
        **guard(trip),
        "effect_id": effect(trip),
        "delivery_id": "nobody",
        "rule_id": rule(trip),
        "plan_id": plan(trip),
        "incident_id": incident(trip),
        "survey_id": survey(trip),
        "experiment_id": experiment(trip),
        **erased,
        "policy_id": policy,
        "hold_id": hold,
    }


def keep(trip: Trip, agent: str) -> list[str]:
    """Have the agent keep data by a config, one write of which is blocked.

    Returns the ids of two checkpoints, from before and from afterwards.
    """
    api = trip.console.api
    at = f"/v1/agents/{agent}/checkpoints"
    made = [api.post(at, json={"label": "before seats"}).json()["id"]]
    for number in range(3):
        rules = {"block_pii": True, "retention_by_prefix": {"user:": number + 1}}
        api.put(f"/v1/agents/{agent}/config", json={"n": number, "policies": rules})
        seat = {"seat": f"{number}A", "meals": [number]}
        for value in (json.dumps(seat), f"to ann{number}@example.org"):
            written = {"key": "user:17", "value": value}
            api.post(f"/v1/agents/{agent}/data", json=written)
    return [*made, api.post(at, json={"label": "after seats"}).json()["id"]]


def retain(trip: Trip) -> tuple[str, str]:
    """Return a policy of an agent, asked to be previewed, and a hold; make others."""
    server, at = trip.console.server, "/v1/retention"
    with server.client(server.key(PROJECT, "--scope", "admin")) as admin:
        for more in ({}, {"agent_id": "travel-agent", "keep_last": 3}):
            said = {"thin_days": 30, "prune_days": 90, "ended_days": 7} | more
            policy = admin.post(f"{at}/policies", json=said).json()["id"]
        admin.post(f"{at}/previews", json={"policy_id": policy})
        for kind, value in (
            ("session", trip.id),
            ("user", "ann"),
            ("agent", "travel-agent"),
        ):
            said = {"kind": kind, "value": value, "reason": "Smith v. Jones " * 20}
            hold = admin.post(f"{at}/legal-holds", json=said).json()["id"]
    return str(policy), str(hold)


def except_one(trip: Trip, agent: str) -> tuple[str, str]:
    """Let pass, as an administrator, what was blocked; return its number and the id."""
    server = trip.console.server
    records = trip.console.api.get(f"/v1/agents/{agent}/audit").json()["events"]
    blocked = next(one for one in records if one["result"] == "blocked")
    with server.client(server.key(PROJECT, "--scope", "admin")) as admin:
        said = {"audit_id": blocked["id"], "reason": "A public address"}
        made = admin.post(f"/v1/agents/{agent}/exceptions", json=said).json()
    return str(blocked["number"]), str(made["id"])


def approval(trip: Trip) -> str:
    """Return an approval whose grounds have changed a little, and long arguments."""
    path = f"/v1/sessions/{trip.id}/approvals"
    said = {
        "tool": "issue_refund",
        "arguments": {"amount": 2490, "to": "x" * 300, "lines": [1, {"a": None}]},
        "reason": "The flight was five hours late.",
        "depends_on": ["/destination", "/nothing"],
    }
    return str(trip.console.api.post(path, json=said).json()["id"])


def effect(trip: Trip) -> str:
    """Return an effect of which nobody knows whether it happened."""
    effects = f"/v1/sessions/{trip.id}/effects"
    said = {"key": "wire-1", "tool": "wire", "arguments": {"to": "x" * 300}}
    begun = trip.console.api.post(effects, json=said).json()
    done = {"attempt": begun["attempt"], "status": "unknown"}
    trip.console.api.post(f"{effects}/{begun['id']}/finish", json=done)
    return str(begun["id"])


def approval_rule(trip: Trip) -> str:
    server = trip.console.server
    path = "/v1/agents/travel-agent/approval-rules"
    with server.client(server.key(PROJECT, "--scope", "admin")) as admin:
        return str(admin.post(path, json={"tool": "wire", "votes": 2}).json()["id"])


def schemas(trip: Trip) -> dict[str, str]:
    """Declare two schemas of the agent's states and the way between them."""
    server = trip.console.server
    agent = "/v1/agents/travel-agent"
    steps = [{"op": "rename", "at": "/destination", "to": "city"}]
    with server.client(server.key(PROJECT, "--scope", "admin")) as admin:
        for version in ("1.0.0", "2.0.0"):
            body = {"version": version, "schema": {"type": "object"}}
            admin.post(f"{agent}/schemas", json=body)  # unless it is there already
        way = {"from": "1.0.0", "to": "2.0.0", "steps": steps}
        admin.post(f"{agent}/migrations", json=way)
        (schema, *_) = admin.get(f"{agent}/schemas").json()["data"]
        (migration, *_) = admin.get(f"{agent}/migrations").json()["data"]
    return {"schema_id": schema["id"], "migration_id": migration["id"]}


def guard(trip: Trip) -> dict[str, str]:
    """Return a guard of the agent, and a trial of it."""
    server = trip.console.server
    asked = {"agent_id": "travel-agent", "name": "Nulls", "kind": "null_spree"}
    with server.client(server.key(PROJECT, "--scope", "admin")) as admin:
        admin.post("/v1/guards", json=asked)  # unless it is there already
        (made, *_) = admin.get("/v1/guards").json()["data"]
        trial = admin.post(f"/v1/guards/{made['id']}/try", json={}).json()
    return {"guard_id": made["id"], "trial_id": trial["id"]}


def budget(trip: Trip) -> str:
    """Return a budget of the agent, and one of the session that turns have used."""
    server = trip.console.server
    of_agent = {"agent_id": "travel-agent", "measure": "turns", "limit": 100_000}
    of_session = {"session_id": trip.id, "measure": "tokens", "limit": 100_000}
    with server.client(server.key(PROJECT, "--scope", "admin")) as admin:
        admin.post("/v1/budgets", json=of_session).raise_for_status()
        return str(admin.post("/v1/budgets", json=of_agent).json()["id"])


def shared(trip: Trip) -> str:
    """Return a document that agents write together, which one of them holds."""
    api, name = trip.console.api, "public/board"
    api.patch(f"/v1/shared/{name}", json={"state": {"goal": "Rome"}})
    said = {"holder": "planner <b>", "seconds": 3600}
    api.post(f"/v1/shared/{name}/lease", json=said).raise_for_status()
    return name


def plan(trip: Trip) -> str:
    """Return a plan that nobody has confirmed."""
    said = {"kind": "hold", "sessions": [trip.id]}
    return str(trip.console.api.post("/v1/plans", json=said).json()["id"])


def incident(trip: Trip) -> str:
    """Return an incident whose check somebody looks for, with a note."""
    api = trip.console.api
    said = {
        "title": "Destinations lost " * 5,
        "sessions": [trip.id],
        "check": "NOT state.destination=null",
    }
    made = api.post("/v1/incidents", json=said).json()["id"]
    api.post(f"/v1/incidents/{made}/notes", json={"text": "Told support. " * 20})
    return str(made)


def survey(trip: Trip) -> str:
    """Return a survey at which the worker is to look."""
    said = {"check": "NOT state.destination=null", "search": f"session:{trip.id}"}
    return str(trip.console.api.post("/v1/surveys", json=said).json()["id"])


def experiment(trip: Trip) -> str:
    """Return two forks side by side, with a long name and a check."""
    api, path = trip.console.api, f"/v1/sessions/{trip.id}/fork"
    forks = [api.post(path, json={"version": 1}).json()["id"] for _ in range(2)]
    check = "NOT state.destination=null"
    said = {"name": "Cheaper " * 20, "sessions": forks, "checks": [check]}
    return str(api.post("/v1/experiments", json=said).json()["id"])


def rule(trip: Trip) -> str:
    """Return an alert rule of the travel agent."""
    server = trip.console.server
    with server.client(server.key(PROJECT, "--scope", "admin")) as admin:
        said = {"name": "Too many", "threshold": 0.05, "agent_id": "travel-agent"}
        return str(admin.post("/v1/alerts", json=said).json()["id"])


def erasing(trip: Trip) -> dict[str, str]:
    """Return a preview of an erasure, one that is begun, and an export.

    A hold would stop the erasure.
    """
    server = trip.console.server
    with server.client(server.key(PROJECT, "--scope", "admin")) as admin:

        def made(path: str, said: dict[str, object]) -> str:
            return str(admin.post(path, json=said).json()["id"])

        previews = [
            made("/v1/erasures/previews", {"user_id": who}) for who in ("ann", "ben")
        ]
        begun = {"preview_id": previews[1], "reason": "Asked by mail"}
        return {
            "erasure_preview_id": previews[0],
            "erasure_id": made("/v1/erasures", begun),
            "history_export_id": made("/v1/exports", {"kind": "trajectories"}),
        }


def webhook(trip: Trip) -> str:
    """Return a webhook with something in its log."""
    server = trip.console.server
    with server.client(server.key(PROJECT, "--scope", "admin")) as admin:
        url = "https://receiver.example/hook"
        said = {"url": url, "events": ["version.created"], "description": "On-call"}
        made: str = admin.post("/v1/webhooks", json=said).json()["id"]
        admin.post(f"/v1/webhooks/{made}/test")
    return made


def test_every_address(visits: Visits, trip: Trip, looker: Looker) -> None:
    page = visits.page("alice")
    given = samples(trip)
    asked = page.context.request
    statuses: dict[str, int] = {}

    for pattern, names in page_routes():
        missing = [name for name in names if name not in given]
        assert not missing, f"{pattern} has parameters without a sample: {missing}"
        path = (pattern + QUERIES.get(pattern, "")).format(**given)
        url = trip.console.server.url + path
        answer = asked.get(url, headers={"Accept": "text/html"})
        if pattern in NO_PAGES or "html" not in answer.headers["content-type"]:
            continue  # a file, or nothing for people
        # Of the addresses that only act, which all say so in one way, one is looked at.
        if answer.status != 405 or 405 not in statuses.values():
            page.goto(url)
            looker.look(page, pattern)
        statuses[pattern] = answer.status

    assert looker.found == {}
    # What only acts says so on a page; everything else is there but used-up links and
    # what is for who works on the console.
    gone = {
        "/console/components",
        "/signin/{token}",
        "/password/{token}",
        "/invitation/{token}",
        "/exports/{token}",
        # The version looked at has no files.
        "/console/{slug}/sessions/{session_id}/versions/{number}/files/{path}",
        # There is none before the erasure is over.
        "/console/{slug}/keeping/erasures/{erasure_id}/certificate",
        # Nobody makes the file there.
        "/console/{slug}/keeping/exports/{history_export_id}/file",
    }
    assert {p: s for p, s in statuses.items() if s not in (200, 400, 405)} == {
        pattern: statuses[pattern] for pattern in gone
    }
    assert len([status for status in statuses.values() if status == 200]) >= 20
    assert len([status for status in statuses.values() if status == 405]) >= 15


def test_what_acts_show(visits: Visits, trip: Trip, looker: Looker) -> None:
    page = visits.page("alice")
    base = f"{trip.console.server.url}/console/{PROJECT}"
    suffix = trip.id[-6:]

    page.goto(f"{base}/keys")
    page.get_by_label("Name", exact=True).fill(f"bot {suffix}")
    page.get_by_role("button", name="Make the key").click()
    expect(page.locator("#secret")).to_be_visible()
    looker.look(page, "a new key")
    page.goto(f"{base}/members")
    page.get_by_role("button", name="Make an invitation").click()
    link = page.locator("#link").inner_text()
    looker.look(page, "an invitation")
    page.goto(f"{base}/webhooks")
    page.get_by_label("Address").fill("https://receiver.example/hook")
    page.get_by_label("turn.added").check()
    page.get_by_role("button", name="Make the webhook").click()
    expect(page.locator("#secret")).to_be_visible()
    looker.look(page, "a webhook's secret")
    for act, name in (("sign-in", "Make a sign-in link"), ("password", "password")):
        page.goto(f"{base}/members")
        # One menu alone: those of all rows lie over each other.
        page.locator(".acts .menu > summary").first.click()
        page.get_by_role("button", name=name).first.click()
        expect(page.locator("#link")).to_be_visible()
        looker.look(page, f"a {act} link")

    door = visits.strangers_page()
    door.goto(link)
    looker.look(door, "an invited person's first page")
    door.goto(page.locator("#link").inner_text())
    looker.look(door, "a password link")

    assert looker.found == {}
    assert len(looker.seen) == 7


def test_what_was_refused(visits: Visits, trip: Trip, looker: Looker) -> None:
    page = visits.page("olga")
    given = samples(trip)
    server = trip.console.server

    page.goto(trip.path("versions", 0, "rollback"))
    trip.patch({"step": "meanwhile"})
    page.get_by_role("button", name="Roll back to v0").click()
    expect(page.locator("[role=alert]")).to_contain_text("Nothing was done.")
    looker.look(page, "409, a stale preview")
    page.goto(trip.path("versions", 2, "fork"))
    page.get_by_label("State (JSON)").fill("{")
    page.get_by_role("button", name="Create the fork").click()
    expect(page.locator("#fault")).to_be_visible()
    looker.look(page, "400, a fork of what is no JSON")
    errors = {
        403: f"{server.url}/console/{PROJECT}/keys",
        404: trip.path("versions", 999),
        405: trip.path("pause"),
    }
    for status, url in errors.items():
        answer = page.goto(url)
        assert answer is not None
        assert answer.status == status
        expect(page.locator("main")).to_contain_text(answer.headers["x-request-id"])
        looker.look(page, str(status))
    page.context.clear_cookies(name="csrftoken")
    page.goto(trip.path("versions", 2))
    page.context.clear_cookies(name="csrftoken")
    page.get_by_role("button", name="Fork from v2").click()
    expect(page.locator("main")).to_contain_text("load the page again")
    looker.look(page, "403, a form without its token")

    assert given["session_id"] == trip.id
    assert looker.found == {}


@pytest.mark.parametrize("status", [500, 503])
def test_what_broke(visits: Visits, trip: Trip, looker: Looker, status: int) -> None:
    page = visits.page("carol")
    where = f"{trip.console.server.url}/console/broken"
    html = render_to_string("500.html", {"message": "It broke.", "request_id": "req_1"})
    page.route(
        where,
        lambda route: route.fulfill(status=status, content_type="text/html", body=html),
    )

    page.goto(where)
    looker.look(page, str(status))

    expect(page.locator("main")).to_contain_text("req_1")
    assert looker.found == {}
    # The browser notes what it was answered.
    visits.complaints[:] = [
        one for one in visits.complaints if f"status of {status}" not in one
    ]


def test_a_broken_policy_would_be_noticed(visits: Visits, trip: Trip) -> None:
    page = visits.page("carol")
    page.goto(trip.path())

    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
        }"""
    )
    page.wait_for_timeout(200)

    assert page.evaluate("window.ran") is None
    assert any("content policy: script-src" in one for one in visits.complaints)
    visits.complaints.clear()


def test_a_broken_page_would_be_noticed(
    visits: Visits, trip: Trip, looker: Looker
) -> None:
    page = visits.page("carol")
    page.goto(trip.path())

    page.evaluate(
        """() => {
          const text = document.createElement("p");
          text.textContent = "Hardly seen";
          text.style.color = "light-dark(black, #222)";
          text.style.backgroundColor = "light-dark(white, black)";
          document.querySelector("main").append(text, document.createElement("img"));
        }"""
    )
    looker.look(page, "broken")

    told = [one.partition(":")[0] for one in looker.found["broken"]]
    assert told == ["light, image-alt", "dark, color-contrast"]
