"""Every fragment is part of a page, says what it needs, and nothing is inline.

No page hides what Django's context processors give to all of them, such as messages:
`tests/conftest.py` refuses it wherever a test renders a page, and here all are.
"""

import re
from pathlib import Path

import pytest
from django.template import RequestContext
from django.test import Client, RequestFactory

from tests.conftest import given_to_all_pages, hidden_names
from tests.contracts.routes import page_routes
from tests.contracts.world import World, add_member

FOLDER = Path(__file__).resolve().parents[2] / "templates"
TEMPLATES = sorted(str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.html"))
FRAGMENTS = [name for name in TEMPLATES if Path(name).name.startswith("_")]
HTML = {"Accept": "text/html"}
HANDLER = re.compile(r"<[^>]+\s(?:on[a-z]+|style)\s*=", re.IGNORECASE)
SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)|<style", re.IGNORECASE)


def text(name: str) -> str:
    return (FOLDER / name).read_text()


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_fragment_is_included_by_some_template(fragment: str) -> None:
    assert any(f'"{fragment}"' in text(name) for name in TEMPLATES if name != fragment)


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_fragment_says_what_context_it_expects(fragment: str) -> None:
    assert "{# Context:" in text(fragment).split("\n")[0]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_holds_no_script_style_or_handler(template: str) -> None:
    # Our CSP would refuse them, silently for whoever looks at the page.
    assert not SCRIPT.search(text(template))
    assert not HANDLER.search(text(template))


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_cuts_no_character_in_two(template: str) -> None:
    # Django's own filters cut between the code points of one emoji: `shorten` does not.
    assert "truncatechars" not in text(template)
    assert "truncatewords" not in text(template)


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_asks_nobody_else(template: str) -> None:
    assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", text(template))


BACKEND = "django.contrib.auth.backends.ModelBackend"
PAGES = [page for page in page_routes() if page[0].startswith("/console/{slug}")]
VERSION = "/console/{slug}/sessions/{session_id}/versions/{number}"
TABS = [f"{VERSION}?tab={tab}" for tab in ("state", "turns", "checkpoint", "proof")]
# What a tag of a template gives a name: `{% for a, b in x %}`, `{% url … as a %}`,
# `{% with a=b %}` and `{% include … with a=b %}`.
LOOP = re.compile(r"{%\s*for\s+([\w\s,]+?)\s+in\s")
NAMED = re.compile(r"\sas\s+(\w+)\s*%}")
GIVEN = re.compile(r"{%\s*(?:with|include)\s[^%]*?%}")
POSTING = re.compile(r"<form[^>]* method=\"post\".*?</form>", re.DOTALL)
PAIR = re.compile(r"\b(\w+)=([\w.]+)")


def assigned(template: str) -> set[str]:
    """Return the names that a template gives to other things than they stand for."""
    found = {
        name for names in LOOP.findall(template) for name in re.findall(r"\w+", names)
    }
    found |= set(NAMED.findall(template))
    for tag in GIVEN.findall(template):
        found |= {name for name, value in PAIR.findall(tag) if name != value}
    return found


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_hides_nothing_that_all_pages_are_given(template: str) -> None:
    assert not assigned(text(template)) & given_to_all_pages()


def test_names_that_a_template_assigns_are_seen() -> None:
    tags = "{% for user, perms in x %}{% url 'a' as messages %}{% with request=a.b %}"

    assert assigned(tags) == {"user", "perms", "messages", "request"}
    assert assigned('{% include "a.html" with user=user only %}') == set()
    assert {"messages", "user", "request"} <= given_to_all_pages()


@pytest.mark.django_db
def test_no_page_hides_what_all_pages_are_given(world: World) -> None:
    client = Client()
    client.force_login(add_member(world.project, "alice"), BACKEND)

    # The guard in conftest.py raises where a page is rendered.
    statuses = {
        client.get(pattern.format(**world.parameters), headers=HTML).status_code
        for pattern in [page for page, _ in PAGES] + TABS
    }

    assert statuses <= {200, 302, 405}


@pytest.mark.django_db
def test_every_form_that_posts_has_its_token(world: World) -> None:
    """A part that is included with `only` has no token unless it is handed one."""
    client = Client()
    client.force_login(add_member(world.project, "alice"), BACKEND)

    pages = {
        pattern: client.get(pattern.format(**world.parameters), headers=HTML)
        for pattern in [page for page, _ in PAGES] + TABS
    }

    forms = [
        (pattern, form)
        for pattern, answer in pages.items()
        # A file that is sent in pieces has no forms.
        if not answer.streaming
        for form in POSTING.findall(answer.content.decode())
    ]
    assert len(forms) > 50
    assert [one for one in forms if "csrfmiddlewaretoken" not in one[1]] == []


def test_the_guard_sees_a_page_that_hides_something() -> None:
    request = RequestFactory().get("/")

    assert hidden_names({"messages": [], "session": 1}, request) == {"messages"}
    assert hidden_names(RequestContext(request, {"user": None}), request) == {"user"}
    assert hidden_names({"session": 1}, None) == set()
