"""Looking by eye since when something is wrong, one version after the other."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts import operations as accounts
from apps.accounts.masks import masks_of
from apps.accounts.models import Project, Role
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import signed_in
from tests.timeline.runs import Clients, Run, begin

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(project: Project) -> Client:
    return signed_in(Client(), make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def run(api: Clients) -> Run:
    """v0 to v8, of which each counts on."""
    made = begin(api(), {"n": 0})
    made.post("versions", {"versions": [{"state": {"n": n}} for n in range(1, 9)]})
    return made


def address(project: Project, run: Run, query: str) -> str:
    return f"{reverse('console:bisect', args=[project.slug, run.id])}?{query}"


def shown(browser: Client, project: Project, run: Run, query: str = "") -> str:
    answer = browser.get(address(project, run, f"by=eye&{query}"))
    assert answer.status_code == 200
    return str(answer.content.decode())


def link(text: str, key: str) -> str:
    """Return where a key leads."""
    (found,) = re.findall(rf'href="([?][^"]*)" data-key="{key}"', text)
    return unescape(found)


def answered(browser: Client, project: Project, run: Run, keys: str) -> str:
    """Press these keys, one page after the other."""
    where = "?by=eye&check=there:state.n"
    base = reverse("console:bisect", args=[project.slug, run.id])
    for key in keys:
        answer = browser.get(base + where)
        where = link(answer.content.decode(), key)
    return str(browser.get(base + where).content.decode())


def test_the_version_in_the_middle_is_asked_about(
    operator: Client, project: Project, run: Run
) -> None:
    text = shown(operator, project, run)

    assert "<h1>Is v4 right?</h1>" in text
    assert "v0 is taken to be right, v8 to be wrong; 7 versions between them" in text
    assert "at most 3 more to look at" in text
    assert "v3 → v4" in text
    # Its state, and what it changed.
    assert 'id="state-title"' in text
    assert '<li class="change ' in text
    assert reverse("console:rollback", args=[project.slug, run.id, 3]) not in text


def test_each_answer_is_a_link_with_all_trials(
    operator: Client, project: Project, run: Run
) -> None:
    text = shown(operator, project, run, "good=1&bad=7&check=there:state.n")

    kept = "by=eye&check=there%3Astate.n&good=1&bad=7"
    assert [link(text, key) for key in "gbs"] == [
        f"?{kept}&tried=4g",
        f"?{kept}&tried=4b",
        f"?{kept}&tried=4s",
    ]


@pytest.mark.parametrize("wrong", range(1, 9))
def test_answers_lead_to_what_broke_it(
    operator: Client, project: Project, run: Run, wrong: int
) -> None:
    base, where = reverse("console:bisect", args=[project.slug, run.id]), "?by=eye"
    for _ in range(4):
        text = operator.get(base + where).content.decode()
        asked = re.search(r"Is v(\d+) right", text)
        if asked is None:
            break
        where = link(text, "b" if int(asked[1]) >= wrong else "g")

    assert f"</span> v{wrong} broke it first</h1>" in text
    assert reverse("console:rollback", args=[project.slug, run.id, wrong - 1]) in text
    assert f"v{wrong - 1} → v{wrong}" in text
    assert 'id="state-title"' not in text


def test_the_order_of_trials_is_shown(
    operator: Client, project: Project, run: Run
) -> None:
    text = answered(operator, project, run, "bsg")

    assert [
        re.search(rf'aria-label="(v{number}, [^"]*)"', text)[1]  # type: ignore[index]
        for number in range(9)
    ] == [
        "v0, right, as given",
        "v1, right, trial 3",
        "v2, trial 2, skipped",
        "v3, to judge",
        "v4, wrong, trial 1",
        "v5, wrong, inferred",
        "v6, wrong, inferred",
        "v7, wrong, inferred",
        "v8, wrong, as given",
    ]
    trials = re.findall(r"/versions/(\d)\">v\d</a> <strong>(\w+)</strong>", text)
    assert trials == [("4", "wrong"), ("2", "skipped"), ("1", "right")]


def test_what_was_skipped_is_not_said_to_have_been_judged(
    operator: Client, project: Project, run: Run
) -> None:
    text = shown(operator, project, run, "tried=4s.3b")

    assert 'aria-label="v4, wrong, inferred"' in text
    assert 'aria-label="v3, wrong, trial 2"' in text


def test_the_last_trial_is_taken_back(
    operator: Client, project: Project, run: Run
) -> None:
    text = answered(operator, project, run, "bgz")

    assert "Is v2 right?" in text
    assert "tried" not in link(text, "z")


def test_where_versions_were_skipped_it_is_said_to_be_one_of_them(
    operator: Client, project: Project, run: Run
) -> None:
    text = shown(operator, project, run, "good=3&bad=6&tried=4s.5s")

    assert "v6 broke it, or one before it that was not judged" in text
    assert "between them 2 could not be judged" in text


def test_nothing_of_it_is_stored(operator: Client, project: Project, run: Run) -> None:
    answered(operator, project, run, "gbs")

    assert run.head == 8
    assert "Is v4 right?" in shown(operator, project, run)


def test_back_to_the_check(operator: Client, project: Project, run: Run) -> None:
    text = answered(operator, project, run, "b")

    (found,) = re.findall(r'href="([^"]*)">By a check', text)
    answer = operator.get(unescape(found))
    assert "It holds everywhere" in answer.content.decode()


def test_a_viewer_is_led_to_no_act(project: Project, run: Run) -> None:
    viewer = signed_in(Client(), make_member(project, "vera", Role.VIEWER))

    text = shown(viewer, project, run, "good=4&bad=5")

    assert "v5 broke it first" in text
    assert reverse("console:rollback", args=[project.slug, run.id, 4]) not in text


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("by=ear", 400, "by: "),
        ("by=eye&good=x", 400, "good: "),
        ("by=eye&tried=4", 400, "trials are written as in"),
        ("by=eye&tried=4g,5b", 400, "trials are written as in"),
        ("by=eye&tried=0g", 400, "v0 is not in question"),
        ("by=eye&tried=4g.4b", 400, "v4 is not in question"),
        ("by=eye&tried=" + ".".join(["4s"] * 101), 400, "at most 100 trials"),
        ("by=eye&good=5&bad=5", 422, "does not come before bad"),
        ("by=eye&bad=9", 422, "the head is v8"),
    ],
)
def test_what_means_nothing_is_refused(
    operator: Client, project: Project, run: Run, query: str, status: int, words: str
) -> None:
    answer = operator.get(address(project, run, query))

    assert answer.status_code == status
    assert words in answer.content.decode()


def test_a_session_of_one_version_has_none_to_look_at(
    operator: Client, project: Project, api: Clients
) -> None:
    answer = operator.get(address(project, begin(api(), {"n": 0}), "by=eye"))

    assert answer.status_code == 422


def test_a_stranger_and_nobody(
    project: Project, run: Run, other_project: Project
) -> None:
    stranger = signed_in(Client(), make_member(other_project, "stan", Role.ADMIN))
    where = address(project, run, "by=eye")

    assert stranger.get(where).status_code == 404
    assert Client().get(where).status_code == 302


def test_what_is_masked_is_masked_here_too(
    project: Project, run: Run, operator: Client
) -> None:
    run.patch({"secret": "s3cr3t-value"})
    hidden: list[Any] = [{"pointer": "/secret", "style": "hide"}]
    accounts.set_masks(act=act_in(project), project=project, masks=masks_of(hidden))

    text = shown(operator, project, run, "good=8&bad=9")

    assert "v9 broke it first" in text
    assert "s3cr3t-value" not in text
