"""A search for what fails a check finds just that, or there is none."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.checks import Outcome, evaluate, read_text
from apps.timeline.search import changing, failing, parse_query, search_sessions
from tests.feeding import project_all
from tests.timeline.runs import Begin

STATES: list[dict[str, Any]] = [
    {},
    {"total": 10, "to": "NYC"},
    {"total": 10.0, "to": None},
    {"total": "10", "to": "LAX", "tags": ["a"]},
    {"total": 20, "to": ""},
    {"total": -1, "to": 'q"uo te', "deep": {"a b": True}},
    {"total": True, "deep": {"a b": False}, "items": [{"n": 1}]},
    {"total": [10], "to": {"x": None}, "items": [{"n": 2}, {"n": 1}]},
]
SAID = [
    "NOT state.to=null",
    "state.to=null",
    "state.total=10",
    "state.total<=10",
    "state.total>10 OR state.to=NYC",
    "state.total<20 AND NOT state.to=null",
    "NOT (state.total>=10 AND state.to IN [NYC, LAX])",
    "state.to IN [NYC, null, 10]",
    'state.deep."a b"=true',
    'state.to="q\\"uo te" OR state.total>0',
    "(state.total>0 AND state.total<15) OR state.to=LAX",
    "state.items.0.n=1",
    "state.total=true",
    'NOT state.to="\\u0000"',
]
UNSAID = [
    "there:state.to",
    "type:state.total=number",
    "size:state.tags<3",
    "sum:state.items(item.n)=3",
    "unique:state.tags",
    "format:state.to=email",
    "state.tags CONTAINS a",
    "EACH state.items (item.n>0)",
    "state.total=was.total",
    "state.total=state.other",
    "state.to<NYC",
    "was.total=1",
    "there:state.to AND state.total=10",
]


@pytest.mark.django_db
def test_it_finds_just_what_fails_the_check(begin: Begin, project: Project) -> None:
    runs = {begin(state).id: state for state in STATES}
    project_all()
    now = timezone.now()

    for said in SAID:
        check = read_text(said)
        text = failing(check, now=now)
        assert text is not None, said
        query = parse_query(text, now=now)
        found = search_sessions(Scope(project), query, now=now, after=None, limit=100)
        assert {one.session.id for one in found.results} == {
            one
            for one, state in runs.items()
            if evaluate(check, state).outcome is Outcome.FAILS
        }, (said, text)


@pytest.mark.parametrize("said", UNSAID)
def test_what_no_search_can_ask_for_is_not_asked_for(said: str) -> None:
    assert failing(read_text(said), now=timezone.now()) is None


def test_a_search_that_would_be_too_long_is_none() -> None:
    now = timezone.now()
    many = " OR ".join(f"(state.a{n}=1 AND state.b{n}=1)" for n in range(10))
    few = " AND ".join(f"state.a{n}=1" for n in range(21))

    assert failing(read_text(f"NOT ({many})"), now=now) is None
    assert failing(read_text(few), now=now) is None
    assert failing(read_text(f"NOT ({few})"), now=now) is None


def test_beside_it_there_is_what_changed_its_places() -> None:
    now = timezone.now()

    assert changing(read_text("size:state.tags<3"), now=now) == "changed:state.tags"
    both = read_text("there:state.a AND unique:state.b")
    assert changing(both, now=now) == "changed:state.a OR changed:state.b"
    assert changing(read_text("size:state<3"), now=now) is None
