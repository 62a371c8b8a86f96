"""Old states by meaning in the console: switched on, asked, and what is said of it."""

import re

import pytest
from django.utils import timezone

from apps.accounts.models import Role
from apps.meaning.past import searching, sweeping
from tests.accounts.make import make_member
from tests.console.make import signed_in
from tests.console.test_conversation import Talk

HTML = {"Accept": "text/html"}


@pytest.fixture
def admin(client, project):
    return signed_in(client, make_member(project, "ada", Role.ADMIN))


@pytest.fixture
def talk(api):
    talk = Talk(api())
    talk.write({"a": 1}, reasoning="Moved the trip to Italy")
    talk.write({"a": 2}, reasoning="He asks for his money back: the hotel was dirty")
    return talk


def page_of(client, project, query=""):
    found = client.get(f"/console/{project.slug}/meaning{query}", headers=HTML)
    assert found.status_code == 200, found.content.decode()
    return found.content.decode()


def switch(client, project, to):
    where = f"/console/{project.slug}/meaning/set"
    return client.post(where, {"is_on": to}, headers=HTML, follow=True)


def versions(text):
    return [int(n) for n in re.findall(r"> ?sess_\w+ v(\d+)</a>", text)]


def test_it_is_switched_on_and_off_and_asked(admin, project, talk):
    assert "are not searched by meaning" in page_of(admin, project, "?q=refund")

    on = switch(admin, project, "on")
    assert "Old states are embedded from now on" in on.content.decode()
    before = page_of(admin, project, "?q=refund")
    assert "are still being looked through" in before
    sweeping.sweep(now=timezone.now())

    text = page_of(admin, project, "?q=why+was+a+refund+wanted")
    assert versions(text)[0] == 2
    assert "He asks for his money back" in text
    assert "The nearest of 2 versions." in text
    assert "the order is not that of the percentages" in text
    assert "are still being looked through" not in text
    off = switch(admin, project, "off")
    assert "are not searched by meaning" in off.content.decode()


def test_a_page_leads_to_older_versions(admin, project, talk, monkeypatch):
    switch(admin, project, "on")
    sweeping.sweep(now=timezone.now())
    monkeypatch.setattr(searching, "MOST_VERSIONS", 1)

    first = page_of(admin, project, "?q=trip")
    assert versions(first) == [2]
    older = re.search(r'href="[^"]*(\?[^"]*)" rel="next"', first)[1]
    second = page_of(admin, project, older.replace("&amp;", "&"))
    assert versions(second) == [1]
    assert "↑ Newest" in second


def test_what_cannot_be_asked_is_said_at_the_field(admin, project, talk, monkeypatch):
    switch(admin, project, "on")

    assert "q takes words" in page_of(admin, project, "?q=%3F")
    monkeypatch.setattr("apps.meaning.embedding.choosing.missing", lambda: "Add it.")
    monkeypatch.setattr("apps.meaning.embedding.choosing._loaded", {})
    assert "Add it." in page_of(admin, project, "?q=refund")
    where = f"/console/{project.slug}/meaning?after=x"
    assert admin.get(where, headers=HTML).status_code == 400


def test_an_operator_reads_and_does_not_switch(client, project, talk):
    operator = signed_in(client, make_member(project, "otto", Role.OPERATOR))

    assert "An administrator can switch it on." in page_of(operator, project)
    assert switch(operator, project, "on").status_code == 403


def test_the_list_of_sessions_leads_there(admin, project, talk):
    text = admin.get(f"/console/{project.slug}/sessions?q=").content.decode()

    assert f'href="/console/{project.slug}/meaning"' in text
