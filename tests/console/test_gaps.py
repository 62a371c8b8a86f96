"""Pages of a session that has lost versions: each says what is gone, in words."""

import re

import pytest

from apps.accounts.models import Role
from apps.timeline.models import Tombstone, Version
from apps.timeline.queries import version_at
from tests.accounts.make import make_member
from tests.console.make import HTML, address, signed_in
from tests.timeline import runs
from tests.timeline.keeping.gaps import with_gaps

WHEN = r"on \d{4}-\d\d-\d\d \d\d:\d\d UTC by a policy \(removal rem_01\), with"
REMOVED = rf"v1 to v3 were removed {WHEN} 3 turns\."
ERASED = rf"What v6 to v7 held was erased {WHEN} 2 turns\."


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "bob", Role.OPERATOR))


@pytest.fixture
def gaps(api):
    ours = api()
    return with_gaps(lambda state, **about: runs.begin(ours, state, **about))


def asked(client, project, gaps, page, status=200):
    answer = client.get(address(project, gaps.id) + page, headers=HTML)
    assert answer.status_code == status, answer.content
    whole = re.sub(r"<script.*?</script>", "", answer.content.decode(), flags=re.S)
    body = whole[whole.find("<main") :]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def says(text, pattern):
    return re.search(pattern, text) is not None


def test_the_timeline_has_a_row_for_what_was_removed(operator, project, gaps):
    shown = asked(operator, project, gaps, "")
    rows = shown[shown.find("Timeline") :]
    assert says(rows, REMOVED)
    below, above = rows.find("v1 to v3"), rows.find(" v4 ")
    assert 0 < above < below
    assert rows.count("its contents were erased") == 2
    assert says(shown, ERASED)


@pytest.mark.parametrize("page", ["/conversation", "/conversation?source=messages"])
def test_a_conversation_says_what_is_missing_in_it(operator, project, gaps, page):
    shown = asked(operator, project, gaps, page)
    assert says(shown, REMOVED)
    assert says(shown, ERASED)
    assert "not what was written" not in shown


def test_emptied_turns_are_said_to_be_erased(operator, project, gaps):
    assert "What was said in this turn was erased." in asked(
        operator, project, gaps, "/conversation"
    )
    shown = asked(operator, project, gaps, "/versions/6?tab=turns")
    assert "What was said in this turn was erased." in shown


@pytest.mark.parametrize("tab", ["changes", "state", "checkpoint"])
def test_a_version_that_was_emptied_keeps_its_page(operator, project, gaps, tab):
    shown = asked(operator, project, gaps, f"/versions/6?tab={tab}")
    assert "What v6 held was erased" in shown
    assert "Its header stands" in shown


def test_a_version_after_a_gap_has_nothing_to_compare_with(operator, project, gaps):
    shown = asked(operator, project, gaps, "/versions/4")
    assert says(shown, REMOVED + " There is nothing to compare with")
    assert "Changes against v0" not in shown
    after = asked(operator, project, gaps, "/versions/8")
    assert says(after, r"What v7 held was erased.*There is nothing to compare with")


def test_the_proof_goes_on_from_the_tombstone(operator, project, gaps):
    (stone,) = Tombstone.objects.of_session(gaps.id).gone()
    shown = asked(operator, project, gaps, "/versions/4?tab=proof")
    assert bytes(stone.chain_after).hex()[:16] in shown


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("/versions/2", "v2 was removed: v1 to v3"),
        ("/versions/2/fork", "v2 was removed: v1 to v3"),
        ("/versions/2/state.json", "v2 was removed: v1 to v3"),
        ("/versions/8?against=2", "v2 was removed: v1 to v3"),
        ("/versions/6/fork", "What v6 held was erased"),
        ("/versions/6/value?pointer=/city", "What v6 held was erased"),
    ],
)
def test_what_is_gone_is_a_page_with_words(operator, project, gaps, page, words):
    shown = asked(operator, project, gaps, page, status=410)
    assert words in shown
    assert "It is not there any more" in shown
    assert "removal rem_01" in shown


@pytest.mark.parametrize("number", [2, 6])
def test_a_rollback_onto_what_is_gone_is_not_offered(operator, project, gaps, number):
    page = address(project, gaps.id, "versions", number, "rollback")
    answer = operator.get(page, headers=HTML)
    assert answer.status_code == 303
    assert gaps.head == 13


def test_blame_says_how_far_it_looked(operator, project, gaps):
    shown = asked(operator, project, gaps, "/versions/13/blame?pointer=/city")
    assert says(shown, r"Not looked before v8 ?: What v7 held was erased")


def test_a_time_in_a_gap_leads_to_what_stands_for_it(operator, project, gaps):
    made = dict(
        Version.objects.filter(session_id=gaps.id).values_list("number", "created_at")
    )
    assert version_at(gaps.id, 13, made[13]) == 13
    assert version_at(gaps.id, 13, made[8]) == 8
    assert version_at(gaps.id, 13, made[4]) == 4
    assert version_at(gaps.id, 13, made[0]) in (0, 1, 2, 3)


def test_a_filter_that_matches_nothing_says_what_it_could_not_see(
    operator, project, gaps
):
    shown = asked(operator, project, gaps, "?actor=nobody")
    assert "those that are there were looked through" in shown
    assert says(shown, REMOVED)
