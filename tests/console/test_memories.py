"""Memories in the console: what is believed, from where, and taking it back."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.models import AuditRecord
from apps.memory import operations as memory
from apps.memory.operations import forgetting
from tests.accounts.make import make_member
from tests.console.agent_pages import plain, row_heads
from tests.console.make import HTML, signed_in
from tests.memory.conftest import Mind, done

pytestmark = pytest.mark.django_db


@pytest.fixture
def mind(api: Any) -> Mind:
    return Mind(api())


@pytest.fixture
def person(client: Any, project: Any) -> Any:
    """Sign somebody in by their role; return how they look and how they act."""

    class Person:
        def __init__(self, role: Role) -> None:
            self.browser = signed_in(client, make_member(project, role.value, role))

        def at(self, name: str, *more: Any) -> str:
            return reverse(f"console:{name}", args=[project.slug, *more])

        def looks(self, name: str = "memories", *more: Any, **query: Any) -> str:
            answer = self.browser.get(self.at(name, *more), query, headers=HTML)
            assert answer.status_code == 200, answer.content.decode()
            return answer.content.decode()

        def acts(self, name: str, *more: Any, **given: Any) -> Any:
            return self.browser.post(self.at(name, *more), given, headers=HTML)

    return Person


def test_the_list_says_what_is_believed_by_whom_and_from_where(
    mind: Mind, person: Any
) -> None:
    session = mind.session(user="ada")
    mind.change_state(session, step=1)
    mind.add("Is vegetarian", session_id=session, scope="user")
    mind.add("Closed on Sundays")
    mind.add("May like jazz", user_id="ada", confidence=0.2)
    viewer = person(Role.VIEWER)

    assert row_heads(viewer.looks()) == [
        *("May like jazz", "Closed on Sundays", "Is vegetarian")
    ]
    page = viewer.looks(scope="user", owner="ada")
    assert row_heads(page) == ["May like jazz", "Is vegetarian"]
    assert f"/sessions/{session}/versions/1" in page
    assert row_heads(viewer.looks(status="proposed")) == ["May like jazz"]
    assert row_heads(viewer.looks(session=session)) == ["Is vegetarian"]
    found = viewer.looks(scope="user", owner="ada", words="eats no meat, vegetarian")
    assert row_heads(found) == ["Is vegetarian"]
    assert "nearest first" in plain(found)
    mind.add("Eats vegetarian food and no meat", user_id="ada")
    asked = {"scope": "user", "owner": "ada", "words": "eats no meat, vegetarian"}
    searched = mind.search(asked["words"], user_id="ada", scope="user", threshold=0)
    told = [(one["content"], f"{one['score']:.2f}") for one in searched["data"]]
    page = viewer.looks(**asked)
    assert list(zip(row_heads(page), scores(page), strict=True)) == told
    assert told[0] == ("Eats vegetarian food and no meat", "1.00")
    assert 0 < float(told[1][1]) < 1
    assert scores(viewer.looks(scope="user", owner="ada")) == []
    assert "No such memory stands now" in plain(viewer.looks(scope="agent"))


def scores(page: str) -> list[str]:
    """Return what the rows of a search say of how near they are."""
    return re.findall(r'data-label="score">([0-9.]+)<', page)


def test_words_are_searched_by_either_name_without_a_scope(
    mind: Mind, person: Any
) -> None:
    mind.add("Closed on Sundays")
    mind.add("Prefers a window seat")
    viewer = person(Role.VIEWER)

    for name in ("q", "words"):
        page = viewer.looks(**{name: "sundays"})
        assert row_heads(page) == ["Closed on Sundays"]
        assert "Of the project: choose whose" in plain(page)
        assert 'value="sundays"' in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"query": "x"}, "There is no filter query"),
        ({"q": "x", "words": "y"}, "say two things"),
        ({"q": "x", "status": "dropped"}, "finds what is believed"),
        ({"words": "x", "session": f"sess_{'0' * 26}"}, "finds what is believed"),
        ({"owner": "ada"}, "Whose"),
        ({"q": "x", "scope": "user"}, "user_id"),
    ],
)
def test_a_filter_that_cannot_be_used_is_refused(
    person: Any, query: dict[str, str], said: str
) -> None:
    viewer = person(Role.VIEWER)

    answer = viewer.browser.get(viewer.at("memories"), query, headers=HTML)

    assert answer.status_code == 400
    assert said in plain(answer.content.decode())


def test_a_search_says_what_it_knows_by_words_alone(
    mind: Mind, person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind.add("Prefers aisle seats", user_id="ada")
    viewer = person(Role.VIEWER)
    look = memory.search

    def busy(**asked: Any) -> Any:
        return replace(look(**asked), pending=3, stale=1)

    monkeypatch.setattr(memory, "search", busy)
    for words in ("aisle", "cliffs"):
        page = plain(viewer.looks(scope="user", owner="ada", words=words))
        said = "3 memories just written or imported are known by words alone so far."
        assert said in page
        assert "1 memory is known by words alone until embedded for the new" in page


def test_memories_of_a_deleted_session_are_shown_nowhere(
    mind: Mind, person: Any
) -> None:
    session = mind.session()
    mind.add("Wants to go to Rome", session_id=session)
    mind.client.delete(f"/v1/sessions/{session}")

    page = plain(person(Role.ADMIN).looks())
    assert "Rome" not in page, page


def test_an_operator_decides_a_conflict_side_by_side(mind: Mind, person: Any) -> None:
    old = mind.add("Order 4712 was paid", user_id="ada")
    new = mind.add("Order 4712 was not paid", user_id="ada")
    operator = person(Role.OPERATOR)

    page = plain(operator.looks("memory", new["id"]))
    assert "Order 4712 was not paid" in page
    assert "May conflict" in page
    assert "Order 4712 was paid" in page
    given = {"decision": "replace", "other": old["id"], "reason": "asked", "key": "k1"}
    sent = [operator.acts("decide_memory", new["id"], **given) for _ in range(2)]

    assert {one.status_code for one in sent} == {303}
    assert mind.listed(user_id="ada") == ["Order 4712 was not paid"]
    assert "May conflict" not in operator.looks("memory", new["id"])
    first, *_ = mind.versions(old["id"])
    assert (first["reasoning"], first["actor"]["kind"]) == ("asked", "user")
    assert AuditRecord.objects.filter(action="memory.resolve").count() == 2


def test_nobody_decides_about_what_they_were_not_shown(mind: Mind, person: Any) -> None:
    sure = mind.add("Order 4712 was paid", user_id="ada")
    maybe = mind.add("Order 4712 was not paid", user_id="ada", confidence=0.2)
    operator = person(Role.OPERATOR)
    shown = operator.looks("memory", maybe["id"])
    done(mind.patch(maybe["id"], content="Ada is an administrator"))

    for decision in ("accept", "replace"):
        sent = forms(shown)[decision] | {"decision": decision}
        refused = operator.acts("decide_memory", maybe["id"], **sent)
        assert refused.status_code == 409
        assert "Ada is an administrator" in refused.content.decode()
    assert mind.listed(user_id="ada", status="believed") == ["Order 4712 was paid"]

    shown = operator.looks("memory", maybe["id"])
    done(mind.patch(sure["id"], content="Order 4712 was paid twice"))
    sent = forms(shown)["accept"] | {"decision": "accept"}
    both = [operator.acts("decide_memory", maybe["id"], **sent) for _ in range(2)]
    assert {one.status_code for one in both} == {303}


def test_nobody_replaces_another_one_that_they_were_not_shown(
    mind: Mind, person: Any
) -> None:
    old = mind.add("Order 4712 was paid", user_id="ada")
    new = mind.add("Order 4712 was not paid", user_id="ada")
    operator = person(Role.OPERATOR)
    shown = operator.looks("memory", new["id"])
    done(mind.patch(old["id"], content="Order 4712 was paid twice"))

    sent = forms(shown)["replace"] | {"decision": "replace"}
    refused = operator.acts("decide_memory", new["id"], **sent)

    assert refused.status_code == 409
    assert set(mind.listed(user_id="ada")) == {
        *("Order 4712 was paid twice", "Order 4712 was not paid")
    }


def forms(page: str) -> dict[str, dict[str, str]]:
    """Return what the form of each button sends beside it."""
    found = {}
    for form in re.findall(r'<form class="toolbar".*?</form>', page, re.DOTALL):
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
        for decision in re.findall(r'name="decision" value="(\w+)"', form):
            found[decision] = hidden
    return found


def test_a_viewer_decides_nothing(mind: Mind, person: Any) -> None:
    made = mind.add("May like jazz", user_id="ada", confidence=0.2)
    viewer = person(Role.VIEWER)

    assert "An operator can decide about it" in viewer.looks("memory", made["id"])
    refused = viewer.acts("decide_memory", made["id"], decision="accept")
    assert refused.status_code == 403
    assert mind.listed(user_id="ada", status="proposed") == ["May like jazz"]
    assert viewer.acts("step_memories_back", session="x").status_code == 403


def test_what_a_session_taught_is_forgotten_after_a_preview(
    mind: Mind, person: Any
) -> None:
    session = mind.session(user="ada")
    mind.add("Pays in cash", session_id=session, scope="user")
    mind.add("Is vegetarian", user_id="ada")
    operator = person(Role.OPERATOR)

    shown = plain(operator.looks("memories_back", session=session))
    assert "Pays in cash believed Pays in cash dropped" in shown
    assert "Is vegetarian" not in shown
    assert mind.listed(user_id="ada") == ["Is vegetarian", "Pays in cash"]
    asked = {"session": session, "reason": "it was fooled", "key": "k1"}
    assert operator.acts("step_memories_back", **asked).status_code == 303

    assert mind.listed(user_id="ada") == ["Is vegetarian"]
    page = plain(operator.looks("memories_back", session=session))
    assert "taught nothing that still stands" in page


def test_nobody_forgets_what_they_were_not_shown(mind: Mind, person: Any) -> None:
    session = mind.session(user="ada")
    mind.add("Pays in cash", session_id=session, scope="user")
    operator = person(Role.OPERATOR)
    asked = {"session": session, "key": "k1"}
    shown = operator.looks("memories_back", session=session)
    mind.add("Pays by card", session_id=session, scope="user")

    refused = operator.acts("step_memories_back", **asked, seen=seen_in(shown))
    assert refused.status_code == 409
    page = refused.content.decode()
    assert "Something was written since you looked" in page
    assert "Pays by card" in page
    assert mind.listed(user_id="ada") == ["Pays by card", "Pays in cash"]

    # What the session did not teach holds nobody up.
    mind.add("Is vegetarian", user_id="ada")
    done = operator.acts("step_memories_back", **asked, seen=seen_in(page))
    assert done.status_code == 303
    assert mind.listed(user_id="ada") == ["Is vegetarian"]
    again = operator.acts("step_memories_back", **asked, seen=seen_in(page))
    assert again.status_code == 303


def seen_in(page: str) -> str:
    """Return what the form of a preview says that it showed."""
    (found,) = re.findall(r'name="seen" value="([^"]*)"', page)
    return str(found)


def test_a_session_that_taught_much_is_forgotten_step_by_step(
    mind: Mind, person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "MOST", 2)
    session = mind.session(user="ada")
    for place in range(3):
        mind.add(f"Fact {place}", session_id=session, scope="user")
    operator = person(Role.OPERATOR)

    shown = plain(operator.looks("memories_back", session=session))
    assert "2+ memories change" in shown
    assert "Forget the first 2" in shown
    first = operator.acts("step_memories_back", session=session, key="k1")
    assert first["Location"].endswith(f"/memories/back?session={session}")
    page = plain(operator.looks("memories_back", session=session))
    assert "2 memories changed. History has all of it. The session taught more" in page
    assert "Forget it" in page
    last = operator.acts("step_memories_back", session=session, key="k2")

    assert last["Location"] == operator.at("session_memories", session)
    assert mind.listed(user_id="ada") == []
    tab = plain(operator.looks("session_memories", session))
    assert "Forget what this session taught" not in tab
    assert tab.count("dropped") == 3


def test_an_owner_is_stepped_back_after_a_preview(mind: Mind, person: Any) -> None:
    made = mind.add("Is vegetarian", user_id="ada")
    done(mind.patch(made["id"], content="Is vegan"))
    operator = person(Role.OPERATOR)
    asked = {"scope": "user", "owner": "ada", "version": 1}

    shown = plain(operator.looks("memories_back", **asked))
    assert "Is vegan believed Is vegetarian believed" in shown
    mind.add("Lives in Rome", user_id="ada")
    stale = operator.acts("step_memories_back", **asked, expected=2, key="k1")
    assert stale.status_code == 409
    again = operator.acts("step_memories_back", **asked, expected=3, key="k2")

    assert again.status_code == 303
    assert mind.listed(user_id="ada") == ["Is vegetarian"]
    assert "Deleted memory" not in operator.looks("memory", made["id"])
    assert operator.browser.get(operator.at("memory", "mem_0")).status_code == 404


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"owner": "ada", "version": 0}, "Whose"),
        ({"scope": "project", "owner": "ada", "version": 0}, "nobody in particular"),
        ({"session": f"sess_{'0' * 26}", "scope": "user"}, "whosever it is"),
        ({"session": f"sess_{'0' * 26}", "version": 0}, "whosever it is"),
        ({"user": "ada", "version": 0}, "There is no filter user"),
    ],
)
def test_whose_memories_go_back_is_never_guessed(
    mind: Mind, person: Any, query: dict[str, Any], said: str
) -> None:
    mind.add("Closed on Sundays")
    operator = person(Role.OPERATOR)

    for answer in (
        operator.browser.get(operator.at("memories_back"), query, headers=HTML),
        operator.acts("step_memories_back", **query, key="k1"),
    ):
        assert answer.status_code == 400
        assert said in plain(answer.content.decode())
    assert mind.listed() == ["Closed on Sundays"]


def test_a_sessions_tab_says_what_it_read_and_what_it_taught(
    mind: Mind, person: Any
) -> None:
    session = mind.session(user="ada")
    vegan = mind.add("Is <b>vegan</b>", user_id="ada")
    mind.change_state(session, step=1)
    seat = mind.add("Prefers aisle seats", session_id=session, scope="user")
    mind.context(session, query="vegan food, or which seat?")
    viewer = person(Role.VIEWER)

    shown = viewer.looks("session_memories", session)
    taught, *read = row_heads(shown)
    assert taught == "Prefers aisle seats"
    assert set(read) == {"Prefers aisle seats", "Is <b>vegan</b>"}
    assert "<b>vegan</b>" not in shown
    assert 'aria-current="page">Memories' in shown
    assert f"/sessions/{session}/versions/1" in shown
    assert "which seat?" not in shown
    assert plain(shown).count("unchanged") == 2
    assert viewer.at("memories_back") + f"?session={session}" in shown

    done(mind.patch(vegan["id"], content="Is vegetarian"))
    mind.step_back(session, 0)
    page = plain(viewer.looks("session_memories", session))
    assert "changed read as v1, now v2" in page
    assert "its source was rolled back" in page
    assert page.count("v1 set aside") == 2
    tab = viewer.at("session_memories", session)
    assert f'href="{tab}"' in viewer.looks("session_detail", session)

    mind.delete(seat["id"])
    page = viewer.looks("session_memories", session)
    assert "has taught nothing that is there now" in plain(page)
    assert set(row_heads(page)) == {seat["id"], "Is vegetarian"}


def test_a_sessions_tab_goes_on_to_older_reads(mind: Mind, person: Any) -> None:
    session = mind.session(user="ada")
    for place in range(21):
        mind.add(f"Fact number {place}", user_id="ada")
        mind.context(session, memory_limit=1)
    viewer = person(Role.VIEWER)

    first = viewer.looks("session_memories", session)
    assert len(row_heads(first)) == 20
    (after,) = set(re.findall(r"after=(read_\w+)", first))
    older = viewer.looks("session_memories", session, after=after)
    assert row_heads(older) == ["Fact number 0"]
    wrong = viewer.browser.get(viewer.at("session_memories", session), {"after": "x"})
    assert wrong.status_code == 400


def test_what_a_deleted_session_read_stays_to_be_seen(mind: Mind, person: Any) -> None:
    session = mind.session(user="ada")
    own = mind.add("Wants to go to Rome", session_id=session)
    mind.add("Is vegan", user_id="ada")
    mind.context(session)
    mind.client.delete(f"/v1/sessions/{session}")

    page = person(Role.VIEWER).looks("session_memories", session)
    assert "Rome" not in page
    assert set(row_heads(page)) == {own["id"], "Is vegan"}
    assert "not there any more" in plain(page)
