"""A check tells nobody what masks cover from them."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from apps.accounts import operations as accounts
from apps.accounts.errors import Masked
from apps.accounts.masks import masks_of
from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.checks import read_text
from apps.diffs.readers import looking
from apps.timeline.bisect import Asked, Bisection, find_flips
from apps.timeline.masking import reader_of
from tests.acts import act_in
from tests.timeline.bisect.asking import LOST
from tests.timeline.runs import Begin, Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(begin: Begin) -> Run:
    made = begin({"customer": {"name": "Roberta", "city": "Rome"}, "n": 1})
    made.patch({"customer": {"name": "Robert", "city": "Rome"}, "n": 2})
    return made


def mask(project: Project, *given: dict[str, Any]) -> Project:
    act = act_in(project)
    accounts.set_masks(act=act, project=project, masks=masks_of([*given]))
    project.refresh_from_db()
    return project


def asked(project: Project, run: Run, check: str) -> Bisection:
    with looking(reader_of(project)):
        question = Asked(check=read_text(check))
        return find_flips(Scope(project, None), run.id, question, now=timezone.now())


@pytest.mark.parametrize(
    "check",
    [
        "state.customer.name=Robert",
        "size:state.customer.name=6",
        "size:state.customer=2",
        "size:state=2",
        "state.n=1 OR NOT state.customer.name=was.customer.name",
    ],
)
def test_a_check_that_looks_at_a_masked_place_is_refused(
    project: Project, run: Run, check: str
) -> None:
    project = mask(project, {"pointer": "/customer/name", "style": "hide"})

    with pytest.raises(Masked) as refused:
        asked(project, run, check)

    assert refused.value.param == "check"


def test_a_check_with_what_a_pattern_finds_is_refused(
    project: Project, run: Run
) -> None:
    words = {"pattern": "words", "words": ["Robert"], "style": "hide"}
    project = mask(project, words)

    with pytest.raises(Masked):
        asked(project, run, "state.customer.name=Robert")


def test_a_check_of_other_places_is_answered(project: Project, run: Run) -> None:
    project = mask(project, {"pointer": "/customer/name", "style": "hide"})

    found = asked(project, run, "state.n=1")

    assert [one.version.number for one in found.flips] == [1]


def test_a_masked_key_may_not_ask(
    project: Project, run: Run, api: Clients, make_key: Keys
) -> None:
    key = make_key(project=project, scope="masked")

    answer = api(key).post(run.path("bisect"), {"check": LOST})

    assert_refused(answer, 403, "permission_denied")
