"""The page of components: for who works on the console."""

import re
from pathlib import Path

from tests.accounts.make import make_member
from tests.console.make import HTML, signed_in

PAGE = "/console/components"
SPRITE = Path("static/img/icons.svg").read_text()


def test_in_debug_it_shows_every_icon_and_mark(client, project, settings):
    settings.DEBUG = True

    page = signed_in(client, make_member(project)).get(PAGE)

    text = page.content.decode()
    assert page.status_code == 200
    drawn = set(re.findall(r"icons\.svg#(\w+)", text))
    assert drawn >= set(re.findall(r'symbol id="(\w+)"', SPRITE))
    for mark in ("update", "good", "flag", "rollback", "fork", "head"):
        assert f"life-node mark-{mark}" in text


def test_elsewhere_it_is_no_page(client, project):
    assert signed_in(client, make_member(project)).get(PAGE).status_code == 404


def test_a_stranger_is_led_to_the_door(client, db, settings):
    settings.DEBUG = True

    assert client.get(PAGE, headers=HTML).status_code in (302, 303)
