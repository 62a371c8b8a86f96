"""What a bisect costs: statements, and states that it looks into."""

from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.checks import read_text
from apps.timeline import bodies
from apps.timeline.bisect import (
    Asked,
    Bisection,
    Order,
    find_first_bad,
    find_flips,
)
from tests.contracts.test_query_counts import counted
from tests.timeline.bisect.asking import bisect as asked
from tests.timeline.bisect.asking import flips
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db

AT_ONCE = 100


def long_run(begin: Begin, length: int, *, every: int) -> Run:
    """Return a session of so many versions, a few of which set `total`."""
    run = begin({"total": 0, "n": 0})
    for start in range(1, length, AT_ONCE):
        numbers = range(start, min(length, start + AT_ONCE))
        states = [{"n": n} | ({"total": n} if n % every == 0 else {}) for n in numbers]
        run.post("versions", {"versions": [{"state": one} for one in states]})
    return run


def found_with(
    monkeypatch: pytest.MonkeyPatch, project: Project, run: Run, check: str, **how: Any
) -> tuple[Bisection, list[str]]:
    """Return what is found, and the statements that it took, with nothing cached."""
    bodies.cache.forget(run.id)
    question = Asked(check=read_text(check), **how)
    with counted(monkeypatch) as sent:
        found = find_flips(Scope(project, None), run.id, question, now=timezone.now())
    return found, sent


@pytest.mark.parametrize("length", [100, 1_000])
def test_a_long_session_takes_as_many_statements_as_a_short_one(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, project: Project, length: int
) -> None:
    run = long_run(begin, length, every=length // 50)

    found, sent = found_with(monkeypatch, project, run, "state.total<=40")

    assert len(sent) <= 9, "\n".join(sent)
    assert (found.looked_into, found.is_exact) == (50, True)
    assert len(found.flips) == 1


def test_where_every_version_may_have_turned_it_ends_that_differ_take_16_states(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    run = long_run(begin, 1_000, every=1)

    found, _ = found_with(monkeypatch, project, run, "state.total<=333", limit=1)

    assert [one.version.number for one in found.flips] == [334]
    assert found.looked_into <= 16
    # There may be more: it does not say that there are none.
    assert (found.is_exact, found.next is not None) == (False, True)
    assert len(found.history) == 1_000


def test_beyond_the_budget_ends_that_agree_are_no_none(begin: Begin) -> None:
    run = long_run(begin, 1_000, every=1)

    found = asked(run, "NOT state.total=333")

    assert found["first"]["holds"] is found["last"]["holds"] is True
    assert (found["looked_into"], found["exact"], found["covered"]) == (
        400,
        False,
        None,
    )
    assert found["has_more"]
    told, more = flips(found), found["next"]
    n_pages = 0
    while more:
        page = asked(run, "NOT state.total=333", starting_after=more)
        assert page["covered"]
        assert page["looked_into"] <= 400
        told, more = told + flips(page), page["next"]
        n_pages += 1
    assert told == [(334, True), (333, False)]
    assert n_pages == 3


def test_large_states_end_a_page_by_the_work_they_are(begin: Begin) -> None:
    run = begin({"items": [0]})
    for n in range(1, 6):
        run.put({"items": [n, *range(90_000)]})

    found = asked(run, "unique:state.items", order=Order.OLDEST)
    pages = [found]
    while pages[-1]["has_more"]:
        more = pages[-1]["next"]
        pages.append(
            asked(run, "unique:state.items", order=Order.OLDEST, starting_after=more)
        )

    assert len(pages) > 1
    assert not found["exact"]
    assert [one for page in pages[1:] for one in flips(page)] == [(1, False)]


def test_a_first_bad_version_alone_takes_two_statements_less_than_its_flip(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    run, check = long_run(begin, 20, every=15), read_text("state.total<=10")
    _, told = found_with(
        monkeypatch, project, run, "state.total<=10", order=Order.OLDEST, limit=1
    )

    bodies.cache.forget(run.id)
    with counted(monkeypatch) as sent:
        found = find_first_bad(Scope(project, None), run.id, check, now=timezone.now())

    assert found.place == (run.id, 15)
    assert len(sent) == len(told) - 2
