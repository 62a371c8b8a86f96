"""The page that tells since when something is wrong."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import quote, unquote

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts import operations as accounts
from apps.accounts.masks import masks_of
from apps.accounts.models import Project, Role
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import signed_in
from tests.timeline.bisect.asking import LOST
from tests.timeline.runs import Clients, Run, begin

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(project: Project) -> Client:
    return signed_in(Client(), make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def run(api: Clients) -> Run:
    """0 has a destination, 1 loses it, 3 finds another."""
    made = begin(api(), {"destination": "NYC", "step": 0})
    made.patch({"destination": None}, reasoning="<b>Lost</b>", release="1.8.1")
    made.patch({"step": 1})
    made.patch({"destination": "LAX"})
    return made


def page(browser: Client, project: Project, run: Run, query: str = "") -> Any:
    where = reverse("console:bisect", args=[project.slug, run.id])
    return browser.get(f"{where}?{query}")


def text(answer: Any) -> str:
    return str(answer.content.decode())


def asked(browser: Client, project: Project, run: Run, check: str) -> str:
    answer = page(browser, project, run, f"check={quote(check)}")
    assert answer.status_code == 200
    return text(answer)


def test_it_shows_which_versions_turned_a_check(
    viewer: Client, project: Project, run: Run
) -> None:
    shown = asked(viewer, project, run, LOST)

    assert "v1 broke it first</h1>" in shown
    assert shown.index("holds from here on") < shown.index("fails from here on")
    assert "release 1.8.1" in shown
    assert "&lt;b&gt;Lost&lt;/b&gt;" in shown
    assert "3 of 4 versions looked into; 1 did not touch" in shown
    assert f"/sessions/{run.id}/versions/1" in shown
    assert "there may be other flips" not in shown


def test_from_what_broke_it_one_step_leads_back(
    viewer: Client, project: Project, run: Run
) -> None:
    operator = signed_in(Client(), make_member(project, "olga", Role.OPERATOR))
    back = reverse("console:rollback", args=[project.slug, run.id, 0])
    fork = reverse("console:fork", args=[project.slug, run.id, 0])

    shown, seen = (asked(one, project, run, LOST) for one in (operator, viewer))

    assert f'href="{back}"' in shown
    assert f'href="{fork}"' in shown
    for page in (shown, seen):
        assert "Changes against v0" in page
        assert f"/sessions/{run.id}/versions/1/blame?pointer=%2Fdestination" in page
    assert back not in seen
    assert fork not in seen
    run.post("close", {})
    assert back not in asked(operator, project, run, LOST)


def test_what_was_set_aside_is_no_reason_to_go_back(project: Project, run: Run) -> None:
    operator = signed_in(Client(), make_member(project, "olga", Role.OPERATOR))
    run.rollback(0)

    answer = page(operator, project, run, f"check={quote(LOST)}&every=1")

    assert "fails from here on" in text(answer)
    assert reverse("console:rollback", args=[project.slug, run.id, 0]) not in text(
        answer
    )


def test_where_nothing_turned_it_says_so(
    viewer: Client, project: Project, run: Run
) -> None:
    assert "It holds everywhere" in asked(viewer, project, run, "there:state.step")
    assert "It never holds" in asked(viewer, project, run, "there:state.nothing")


def test_it_asks_for_a_check_where_there_is_none(
    viewer: Client, project: Project, run: Run
) -> None:
    answer = page(viewer, project, run)

    assert answer.status_code == 200
    assert "Since when is it wrong?" in text(answer)


def test_a_check_that_cannot_be_read_is_kept_and_told(
    viewer: Client, project: Project, run: Run
) -> None:
    answer = page(viewer, project, run, "check=destination%3Dnull")

    assert answer.status_code == 400
    assert "At character 1: a place is expected here" in text(answer)
    assert 'value="destination=null"' in text(answer)


@pytest.mark.parametrize(
    ("more", "status"),
    [("good=3&bad=1", 422), ("bad=9", 422), ("good=x", 400), ("after=x", 400)],
)
def test_versions_that_there_are_none_of_are_refused(
    viewer: Client, project: Project, run: Run, more: str, status: int
) -> None:
    answer = page(viewer, project, run, f"check={quote(LOST)}&{more}")

    assert answer.status_code == status


def test_a_part_of_the_history_is_looked_through(
    viewer: Client, project: Project, run: Run
) -> None:
    answer = page(viewer, project, run, f"check={quote(LOST)}&good=1&bad=2")

    assert "It never holds" in text(answer)


def test_what_was_set_aside_is_shown_where_it_is_asked_for(
    viewer: Client, project: Project, run: Run
) -> None:
    run.rollback(0)
    live, every = (
        text(page(viewer, project, run, f"check={quote(LOST)}{more}"))
        for more in ("", "&every=1")
    )

    assert "It holds everywhere" in live
    assert "set aside by v4" in every


def test_what_broke_it_is_shown_with_what_it_changed_and_who_said_what(
    viewer: Client, project: Project, run: Run
) -> None:
    run.patch({"destination": None}, reasoning="Again")

    shown = asked(viewer, project, run, LOST)

    assert "v0 → v1" in shown
    assert shown.count('<li class="change ') == 1
    assert "destination lost (turned null)" in shown
    assert shown.index("v0 → v1") < shown.index("&lt;b&gt;Lost&lt;/b&gt;")


def test_each_version_is_marked_by_what_is_known_of_it(
    viewer: Client, project: Project, run: Run
) -> None:
    run.rollback(0)
    run.patch({"destination": None})
    live, every = (
        text(page(viewer, project, run, f"check={quote(LOST)}{more}"))
        for more in ("", "&every=1")
    )

    assert 'aria-label="v0, holds, looked into"' in live
    assert 'aria-label="v1, set aside"' in live
    assert 'aria-label="v4, holds, untouched"' in live
    assert 'aria-label="v5, fails, looked into" aria-current="true"' in live
    assert 'aria-label="v1, fails, set aside" aria-current="true"' in every
    assert 'aria-label="v2, fails, set aside"' in every
    for words in (">holds<", ">fails<", ">holds, v3 to v4<"):
        assert (words in every) is (words != ">holds, v3 to v4<")


def test_a_long_history_is_drawn_by_what_tells_most(
    viewer: Client, project: Project, run: Run
) -> None:
    more = [{"state": {"step": n}} for n in range(2, 60)]
    run.post("versions", {"versions": more})
    run.patch({"destination": None})

    shown = asked(viewer, project, run, LOST)

    marks = shown.count('class="life-node ')
    assert marks <= 14
    for told in ("v0, holds", "v1, fails", "v3, holds", "v62, fails"):
        assert f'aria-label="{told}, looked into"' in shown
    folded = sum(map(int, re.findall(r">\+(\d+)<", shown)))
    assert folded + marks == 63


def test_a_flip_that_was_not_drawn_parts_what_is_tinted(
    viewer: Client, project: Project, run: Run
) -> None:
    turns = [{"state": {"destination": None if n % 2 else "NYC"}} for n in range(30)]
    run.post("versions", {"versions": turns})

    shown = asked(viewer, project, run, LOST)

    assert "from v" not in shown.partition("<svg")[2].partition("</svg>")[0]
    assert shown.count("from here on") == 31


@pytest.mark.parametrize(
    ("check", "link", "words"),
    [
        (LOST, "?q=state.destination%3Dnull", "newest state fails"),
        ("size:state.step<1", "?q=changed%3Astate.step", "ever changed"),
        ("size:state<10", None, "No search finds"),
    ],
)
def test_others_are_found_as_far_as_a_search_can_say(
    viewer: Client, project: Project, run: Run, check: str, link: str, words: str
) -> None:
    shown = asked(viewer, project, run, check)

    assert words in shown
    where = reverse("console:sessions", args=[project.slug])
    links = re.findall(f'href="{where}([?]q=[^"]+)"', shown)
    assert links == ([link] if link else [])
    for query in links:
        assert viewer.get(f"{where}{query}").status_code == 200


def test_what_was_flagged_is_a_check_to_begin_with(
    viewer: Client, project: Project, run: Run
) -> None:
    run.put({"destination": "<b>LAX</b>"})

    shown = text(page(viewer, project, run))

    found = re.findall(r'href="[^"]*[?]check=([^"]*)">([^<]*)<', shown)
    assert [(unquote(check), words) for check, words in found] == [
        ("there:state.step", "/step lost"),
        ("NOT state.destination=null", "/destination turned null"),
    ]
    for check, _ in found:
        answer = page(viewer, project, run, f"check={check}")
        assert "broke it first" in text(answer)


def test_a_version_leads_to_the_page(
    viewer: Client, project: Project, run: Run
) -> None:
    where = reverse("console:version_detail", args=[project.slug, run.id, 2])
    there = reverse("console:bisect", args=[project.slug, run.id])

    assert f'href="{there}"' in text(viewer.get(where))


def test_a_part_without_a_flip_leads_to_the_whole(
    viewer: Client, project: Project, run: Run
) -> None:
    answer = page(viewer, project, run, f"check={quote(LOST)}&good=1&bad=2")

    (link,) = re.findall(r'href="([^"]*)">Look through the whole', text(answer))
    assert "v1 broke it first" in text(viewer.get(unescape(link)))


@pytest.mark.parametrize(
    ("query", "words"), [(f"check={quote(LOST)}", "v0 → v1"), ("by=eye", "v1 → v2")]
)
def test_a_deleted_session_is_shown_as_its_own_page_shows_it(
    project: Project, run: Run, query: str, words: str
) -> None:
    operator = signed_in(Client(), make_member(project, "olga", Role.OPERATOR))
    fork = run.fork(version=2)
    run.client.delete(run.path())

    shown = text(page(operator, project, run, query))

    assert "This session was deleted" in shown
    assert words in shown
    assert "/rollback" not in shown
    assert "/fork" not in shown
    # What the fork has from it is told of as well.
    of_fork = text(page(operator, project, fork, f"check={quote(LOST)}"))
    assert "v1 broke it first" in of_fork
    assert "cannot be seen here" not in of_fork


def test_agents_are_told_nothing_of_a_deleted_session(run: Run) -> None:
    fork = run.fork(version=2)
    run.client.delete(run.path())

    gone = run.client.post(run.path("bisect"), {"check": LOST})
    assert gone.status == 404
    assert fork.post("bisect", {"check": LOST})["hidden_before"] is True


def test_it_reads_alone(viewer: Client, project: Project, run: Run) -> None:
    where = reverse("console:bisect", args=[project.slug, run.id])

    assert viewer.post(where).status_code in (403, 405)
    assert run.head == 3


def test_a_stranger_and_nobody(
    project: Project, run: Run, other_project: Project
) -> None:
    stranger = signed_in(Client(), make_member(other_project, "stan", Role.ADMIN))

    assert page(stranger, project, run, "check=there:state").status_code == 404
    assert page(Client(), project, run, "check=there:state").status_code == 302


def test_an_unknown_session_is_not_found(viewer: Client, project: Project) -> None:
    where = reverse("console:bisect", args=[project.slug, "sess_" + "0" * 26])

    assert viewer.get(f"{where}?check=there:state").status_code == 404


def test_a_check_at_a_masked_place_is_refused(
    viewer: Client, project: Project, run: Run
) -> None:
    hidden = [{"pointer": "/destination", "style": "hide"}]
    act = act_in(project)
    accounts.set_masks(act=act, project=project, masks=masks_of(hidden))

    refused = page(viewer, project, run, f"check={quote(LOST)}")

    assert refused.status_code == 422
    assert "would tell what masks cover" in text(refused)
    assert "v" in asked(viewer, project, run, "state.step=0")


def test_a_value_leads_to_since_when_it_is_so(
    viewer: Client, project: Project, run: Run
) -> None:
    where = reverse("console:blame", args=[project.slug, run.id, 2])

    shown = text(viewer.get(f"{where}?pointer=/destination"))

    (link,) = re.findall('href="([^"]*)">Since when is this so[?]<', shown)
    assert unquote(link).split("?")[1] == ("check=NOT state.destination=null&amp;bad=2")
    # What is asked is filled in, and answered: nothing is left to be typed.
    found = text(viewer.get(unescape(link)))
    assert "v1 broke it first</h1>" in found
    assert 'value="NOT state.destination=null"' in found


@pytest.mark.parametrize(
    ("pointer", "check"),
    [
        ("/step", "NOT state.step=1"),
        ("/destination", "there:state.destination"),
        ("/passenger", "NOT there:state.passenger"),
    ],
)
def test_any_value_fills_in_what_fails_since_it_is_so(
    viewer: Client, project: Project, run: Run, pointer: str, check: str
) -> None:
    run.put({"step": 1, "passenger": {"name": "Ada"}})
    where = reverse("console:blame", args=[project.slug, run.id, run.head])

    shown = text(viewer.get(f"{where}?pointer={pointer}"))

    (link,) = re.findall('href="([^"]*)">Since when is this so[?]<', shown)
    assert unquote(link).split("?")[1] == f"check={check}"


def test_what_holds_since_one_version_says_so(
    viewer: Client, project: Project, run: Run
) -> None:
    assert "It holds since v2</h1>" in asked(viewer, project, run, "state.step=1")


def test_who_set_a_value_is_told_of_a_deleted_session_too(
    viewer: Client, project: Project, run: Run
) -> None:
    fork = run.fork(version=2)
    for one in (fork, run):
        one.client.delete(one.path())

    for one, number in ((run, 2), (fork, 0)):
        where = reverse("console:blame", args=[project.slug, one.id, number])
        answer = viewer.get(f"{where}?pointer=/destination")

        assert answer.status_code == 200
        assert f"/sessions/{run.id}/versions/1" in text(answer)
        agents = one.client.get(one.path("blame"), {"pointer": "/destination"})
        assert (agents.status, agents.code) == (404, "session_not_found")
