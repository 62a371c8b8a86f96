"""Acts that are refused: their page comes back, says why, and has what was typed."""

import inspect

import pytest
from django.urls import URLPattern, get_resolver

from apps.accounts.models import Role
from tests.accounts.make import make_member
from tests.console.make import HTML, signed_in


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
