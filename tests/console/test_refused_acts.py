"""Acts that are refused: their page comes back, says why, and has what was typed."""

import inspect

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.retention import operations as retention
from apps.retention.words import HoldKind
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import HTML, signed_in
from tests.memory.conftest import Mind


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "ada", Role.ADMIN))


def routes(patterns=None):
    for one in patterns or get_resolver().url_patterns:
        if isinstance(one, URLPattern):
            yield one
        else:
            yield from routes(one.url_patterns)


def pages_of(route):
    """Return what makes the page of an act that is refused, and its address."""
    view = route.callback
    while view is not None:
        known = (
            inspect.getclosurevars(view).nonlocals if inspect.isfunction(view) else {}
        )
        if "shows" in known:
            return [one for one in (known["shows"], known.get("at")) if one]
        view = getattr(view, "__wrapped__", None)
    return []


def test_the_page_of_each_act_takes_what_its_address_names():
    made = {route: pages_of(route) for route in routes()}
    wrong = []
    for route, pages in made.items():
        named = dict.fromkeys(route.pattern.converters.keys() - {"slug"}, "x")
        for page in pages:
            try:
                inspect.signature(page).bind("request", "membership", **named)
            except TypeError as refused:
                wrong.append(f"{route.name}: {page.__name__}: {refused}")

    assert wrong == []
    assert sum(map(bool, made.values())) > 50


def test_a_hold_that_is_ended_without_a_reason_says_so(admin, project):
    at = f"/console/{project.slug}/keeping/holds/hold_{'0' * 26}/end"

    refused = admin.post(at, {"reason": ""}, headers=HTML)

    assert refused.status_code == 400
    assert "Nothing was done:" in refused.content.decode()


@pytest.mark.parametrize(
    ("where", "field"),
    [
        ("handover", "text"),
        ("views", "name"),
        ("alerts/weekly", "email"),
        ("incidents/open", "title"),
        ("incidents/open", "check"),
        ("memories/back/step", "reason"),
        ("sessions/{session}/watch", "email"),
        ("sessions/{session}/notes", "text"),
        ("sessions/{session}/review", "why"),
        ("agents/{agent}/watch", "email"),
        ("agents/{agent}/suspend", "reason"),
        ("memories/at/{memory}/decide", "reason"),
        ("keeping/holds/{hold}/end", "reason"),
    ],
)
def test_what_was_typed_and_is_refused_stays_in_its_field(
    admin, project, kept, where, field
):
    typed = "not what is asked for " * 1_000

    # Of whom the memories are: the others pass it over.
    sent = {field: typed} | ({"session": kept["session"]} if "back" in where else {})

    refused = admin.post(
        f"/console/{project.slug}/{where.format(**kept)}", sent, headers=HTML
    )

    assert refused.status_code == 400
    page = refused.content.decode()
    assert "Nothing was done:" in page
    assert typed.strip() in page


@pytest.fixture
def kept(api, project):
    """A session that taught something, its agent, and a hold on it."""
    mind = Mind(api())
    session_id = mind.session()
    hold = retention.set_legal_hold(
        act=act_in(project), kind=HoldKind.SESSION, value=session_id, reason="A case"
    )
    return {
        "session": session_id,
        "agent": Agent.objects.get(external_id="travel").id,
        "memory": mind.add("Prefers aisle seats", session_id=session_id)["id"],
        "hold": hold.id,
    }


@pytest.mark.parametrize(
    ("origin", "is_shown"),
    [("http://testserver", True), ("https://evil.example", False), (None, False)],
)
def test_an_error_page_has_what_was_typed_into_a_form_of_ours(
    project, origin, is_shown
):
    browser = signed_in(
        Client(enforce_csrf_checks=True), make_member(project, "ada", Role.ADMIN)
    )
    headers = HTML | ({"Origin": origin} if origin else {})

    refused = browser.post(
        f"/console/{project.slug}/handover", {"text": "<b>precious"}, headers=headers
    )

    assert refused.status_code == 403
    page = refused.content.decode()
    assert "load the page again" in page
    assert ("&lt;b&gt;precious" in page) is is_shown


def test_who_lost_the_right_meanwhile_still_has_what_was_typed(client, project):
    browser = signed_in(client, make_member(project, "carol", Role.VIEWER))
    headers = HTML | {"Origin": "http://testserver"}

    refused = browser.post(
        f"/console/{project.slug}/handover", {"text": "precious"}, headers=headers
    )

    assert refused.status_code == 403
    assert "precious" in refused.content.decode()


def test_what_cannot_be_read_is_no_reason_to_fail(client, project):
    browser = signed_in(client, make_member(project, "carol", Role.VIEWER))
    headers = HTML | {"Origin": "http://testserver"}

    for sent, kind in (
        (b"x" * 3_000_000, "application/x-www-form-urlencoded"),
        (b"--x\r\nnonsense", "multipart/form-data; boundary="),
    ):
        refused = browser.post(
            f"/console/{project.slug}/handover",
            sent,
            content_type=kind,
            headers=headers,
        )
        assert refused.status_code in (400, 403)
