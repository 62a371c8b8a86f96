"""The page that shows a merge, takes what is chosen for its conflicts, and does it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts import operations as accounts
from apps.accounts.masks import masks_of
from apps.accounts.models import Project, Role
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import HTML, signed_in
from tests.timeline.runs import Clients, Run, begin

pytestmark = pytest.mark.django_db

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def operator(project: Project) -> Client:
    return signed_in(Client(), make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def run(api: Clients) -> Run:
    return begin(api(), {"city": "Rome", "hotel": "A", "step": 0})


@pytest.fixture
def fork(run: Run) -> Run:
    """It says Berlin and hotel B, where the session has gone on to Oslo and step 1."""
    made = run.fork()
    made.patch({"city": "Berlin", "hotel": "B"})
    run.patch({"city": "Oslo", "step": 1})
    return made


def where(project: Project, run: Run) -> str:
    return reverse("console:merge", args=[project.slug, run.id])


def page(browser: Client, project: Project, run: Run, **query: Any) -> Any:
    return browser.get(where(project, run), query)


def text(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status, answer.content
    return str(answer.content.decode())


def conflicts(shown: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r'name="c\.([0-9a-f]{32})"', shown)))


def fields(shown: str, **more: Any) -> dict[str, Any]:
    """Return what the page's form sends, with what is chosen on it."""
    form = re.search(r'<form id="merge".*?</form>', shown, re.DOTALL)
    assert form is not None
    found: dict[str, Any] = {}
    for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', form[0]):
        found.setdefault(name, []).append(value)
    for name, value in re.findall(
        r'name="([ck]\.[^"]+)" value="(\w+)"[^>]* checked', shown
    ):
        found[name] = value
    return found | more


def chosen(browser: Client, project: Project, run: Run, pick: str, **query: Any) -> str:
    """Return the preview with this choice for each conflict."""
    shown = text(page(browser, project, run, **query))
    picks = {f"c.{id}": pick for id in conflicts(shown)}
    return text(page(browser, project, run, **fields(shown, **picks)))


def promotion(fork: Run) -> dict[str, str]:
    return {"verb": "promote", "fork": fork.id}


def test_conflicts_are_shown_in_three_columns_and_the_rest_folded(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    shown = text(page(operator, project, run, **promotion(fork)))

    assert "1 conflict, 1 to be chosen" in shown
    (row,) = re.findall(r"<tr id=.*?</tr>", shown, re.DOTALL)
    assert re.findall(r"<bdi>(.*?)</bdi>", row) == [
        "&quot;Rome&quot;",
        "&quot;Oslo&quot;",
        "&quot;Berlin&quot;",
    ]
    assert "1 change comes in" in shown
    assert "/hotel" in shown
    assert "1 change was made here alone and stays" in shown
    assert "Known once each conflict is chosen" in shown
    assert "formmethod" not in shown
    assert "0 turns and 0 effects of the fork stay there" in shown


def test_a_choice_shows_the_result_and_confirming_makes_it(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    shown = chosen(operator, project, run, "theirs", **promotion(fork))

    assert "1 conflict, all chosen" in shown
    assert "city changed from Oslo to Berlin" in shown
    answer = operator.post(where(project, run), fields(shown, reason="It was right"))

    assert answer.status_code == 303
    assert answer["Location"].endswith(f"/sessions/{run.id}/versions/2")
    assert run.state == {"city": "Berlin", "hotel": "B", "step": 1}
    told = text(operator.get(answer["Location"]))
    assert "To take it back, roll back to v1." in told
    assert "It was right" in told
    assert "Merged from <a" in told


@pytest.mark.parametrize(
    ("pick", "city"), [("ours", "Oslo"), ("theirs", "Berlin"), ("base", "Rome")]
)
def test_each_side_can_be_chosen(
    operator: Client, project: Project, run: Run, fork: Run, pick: str, city: str
) -> None:
    shown = chosen(operator, project, run, pick, **promotion(fork))

    assert operator.post(where(project, run), fields(shown)).status_code == 303
    assert run.state == {"city": city, "hotel": "B", "step": 1}


def test_a_value_of_ones_own_is_written_as_json(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    shown = text(page(operator, project, run, **promotion(fork)))
    (id,) = conflicts(shown)
    wrong = {f"c.{id}": "value", f"v.{id}": "{Paris"}
    own = {f"c.{id}": "value", f"v.{id}": '["Paris"]'}

    told = text(page(operator, project, run, **fields(shown, **wrong)), 422)
    assert "{Paris</textarea>" in told
    assert 'id="fault-1" role="alert"' in told
    assert "formmethod" not in told
    shown = text(page(operator, project, run, **fields(shown, **own)))
    operator.post(where(project, run), fields(shown, **own))

    assert run.state["city"] == ["Paris"]


def test_all_of_a_kind_are_chosen_at_once_unless_one_by_one(
    operator: Client, project: Project, run: Run
) -> None:
    names = [f"k{n}" for n in range(60)]
    run.patch(dict.fromkeys(names, 0))
    fork = run.fork()
    fork.patch(dict.fromkeys(names, 1))
    run.patch(dict.fromkeys(names, 2))
    shown = text(page(operator, project, run, **promotion(fork)))
    first = conflicts(shown)[0]
    given = {"k.value": "theirs", f"c.{first}": "ours"}

    assert "All 60 where both set it, differently" in shown
    assert "1 to 20 of 60" in shown
    later = text(page(operator, project, run, **fields(shown, **given, start=20)))
    assert "21 to 40 of 60" in later
    assert f'name="c.{first}" value="ours"' in later
    assert "60 conflicts, all chosen" in later
    answer = operator.post(where(project, run), fields(later, **given))

    assert answer.status_code == 303
    assert sorted(run.state[name] for name in names) == [1] * 59 + [2]


def test_both_insertions_are_taken_in_either_order(
    operator: Client, project: Project, run: Run
) -> None:
    run.patch({"list": ["a"]})
    fork = run.fork()
    fork.patch({"list": ["a", "there"]})
    run.patch({"list": ["a", "here"]})

    shown = chosen(operator, project, run, "theirs_ours", **promotion(fork))
    assert "there, then here" in shown
    operator.post(where(project, run), fields(shown))

    assert run.state["list"] == ["a", "there", "here"]


def test_other_choices_than_were_shown_are_shown_before_they_are_done(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    shown = chosen(operator, project, run, "theirs", **promotion(fork))
    (id,) = conflicts(shown)

    answer = operator.post(where(project, run), fields(shown, **{f"c.{id}": "base"}))
    told = text(operator.get(answer["Location"]))

    assert run.head == 1
    assert "You chose otherwise since this was shown" in told
    assert "city changed from Oslo to Rome" in told


def test_when_the_head_moved_it_says_which_choices_still_hold(
    operator: Client, project: Project, run: Run
) -> None:
    fork = run.fork()
    fork.patch({"city": "Berlin", "hotel": "B"})
    run.patch({"city": "Oslo", "hotel": "C"})
    shown = chosen(operator, project, run, "theirs", **promotion(fork))
    run.patch({"hotel": "D"})

    answer = operator.post(where(project, run), fields(shown), headers=HTML)

    assert answer.status_code == 303
    told = text(operator.get(answer["Location"]))
    assert "Nothing was done." in told
    assert "you were shown v1, its head is v2 now" in told
    assert "1 of your choices still hold; 1 was about what is there no more" in told
    assert "2 conflicts, 1 to be chosen" in told
    assert run.head == 2


def test_a_program_is_told_that_the_head_moved(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    shown = chosen(operator, project, run, "theirs", **promotion(fork))
    run.patch({"step": 5})

    answer = operator.post(where(project, run), fields(shown))

    assert answer.status_code == 409


def test_a_conflict_without_a_choice_does_nothing(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    shown = text(page(operator, project, run, **promotion(fork)))

    answer = operator.post(where(project, run), fields(shown), headers=HTML)

    assert "1 to be chosen" in text(operator.get(answer["Location"]))
    assert run.head == 1


def test_there_may_be_nothing_to_do(
    operator: Client, project: Project, run: Run
) -> None:
    shown = text(page(operator, project, run, **promotion(run.fork())))
    assert "there is nothing to do" in shown
    assert "formmethod" not in shown

    answer = operator.post(where(project, run), fields(shown), headers=HTML)

    assert "there is nothing to do" in text(operator.get(answer["Location"]))
    assert run.head == 0


def test_versions_are_taken_back_and_later_ones_kept(
    operator: Client, project: Project, run: Run
) -> None:
    run.patch({"city": "Oslo"})
    run.patch({"step": 7})
    shown = text(page(operator, project, run, verb="revert", first=1, last=1))

    assert "Take back only v1?" in shown
    assert "No conflicts." in shown
    operator.post(where(project, run), fields(shown))

    assert run.state == {"city": "Rome", "hotel": "A", "step": 7}


def test_what_a_rollback_set_aside_is_brought_back(
    operator: Client, project: Project, run: Run
) -> None:
    run.patch({"city": "Oslo"})
    run.rollback(0)
    at = reverse("console:version_detail", args=[project.slug, run.id, 2])
    link = f"{where(project, run)}?verb=reapply&amp;first=1&amp;last=1"

    assert link in text(operator.get(at))
    shown = text(operator.get(link.replace("&amp;", "&")))
    operator.post(where(project, run), fields(shown))

    assert run.state["city"] == "Oslo"


def test_places_that_are_ticked_are_restored(
    operator: Client, project: Project, run: Run
) -> None:
    run.patch({"city": "Oslo", "hotel": None, "step": 3})
    at = reverse("console:version_detail", args=[project.slug, run.id, 1])

    changes = text(operator.get(at))
    assert 'name="place" value="%2Fhotel" form="restores"' in changes
    assert 'name="version" value="0"' in changes
    asked = {"verb": "restore", "version": 0, "pointer": ["/hotel", "/city"]}
    shown = text(page(operator, project, run, **asked))
    assert "Restore 2 places as v0 has" in shown
    operator.post(where(project, run), fields(shown))

    assert run.state == {"city": "Rome", "hotel": "A", "step": 3}


def test_it_is_reached_from_a_fork_a_preview_and_a_value(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    def seen(name: str, *more: Any) -> str:
        return text(
            operator.get(reverse(f"console:{name}", args=[project.slug, *more]))
        )

    of_fork = seen("session_detail", fork.id)
    assert f"{where(project, run)}?verb=promote&amp;fork={fork.id}" in of_fork
    assert 'name="verb" value="revert"' not in seen("rollback", run.id, 0)
    run.patch({"step": 2})
    assert 'name="verb" value="revert"' in seen("rollback", run.id, 0)
    at = reverse("console:value", args=[project.slug, run.id, 0])
    value = text(operator.get(f"{at}?pointer=/city"))
    assert "?verb=restore&amp;version=0&amp;pointer=%2Fcity" in value
    assert fork.id in text(page(operator, project, run))


def test_a_rollback_says_how_many_conflicts_taking_back_a_part_has(
    operator: Client, project: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.patch({"city": "Oslo", "hotel": "B"})
    run.patch({"city": "Bonn"})
    preview = reverse("console:rollback", args=[project.slug, run.id, 0])
    assert "v1 alone: 1 conflict)" in text(operator.get(preview))
    apart = reverse("console:rollback", args=[project.slug, run.id, 1])
    run.patch({"step": 9})
    assert "v2 alone: no conflict)" in text(operator.get(apart))
    rollbacks = "apps.console.views.session.rollbacks"

    monkeypatch.setattr(f"{rollbacks}.LARGEST_MERGED", 1)

    assert "v1 alone: conflicts not counted)" in text(operator.get(preview))
    assert run.state["city"] == "Bonn"


def test_a_form_that_is_sent_twice_is_done_once(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    shown = chosen(operator, project, run, "theirs", **promotion(fork))
    sent = fields(shown)

    first, again = (operator.post(where(project, run), sent) for _ in range(2))

    assert first["Location"] == again["Location"]
    assert run.head == 2


def test_of_two_people_at_once_one_is_shown_the_others_version(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    other = signed_in(Client(), make_member(project, "otto", Role.OPERATOR))
    forms = [
        fields(chosen(one, project, run, "theirs", **promotion(fork)))
        for one in (operator, other)
    ]

    first = operator.post(where(project, run), forms[0], headers=HTML)
    second = other.post(where(project, run), forms[1], headers=HTML)

    assert first["Location"].endswith("/versions/2")
    assert "?verb=promote" in second["Location"]
    assert "Nothing was done." in text(other.get(second["Location"]))
    assert run.head == 2


def test_a_viewer_is_told_who_may(project: Project, run: Run, fork: Run) -> None:
    viewer = signed_in(Client(), make_member(project, "vera", Role.VIEWER))
    at = reverse("console:session_detail", args=[project.slug, fork.id])

    assert page(viewer, project, run, **promotion(fork)).status_code == 403
    assert viewer.post(where(project, run), promotion(fork)).status_code == 403
    assert "Bring this fix back" not in text(viewer.get(at))
    assert run.head == 1


def test_a_stranger_and_nobody(
    project: Project, run: Run, fork: Run, other_project: Project
) -> None:
    stranger = signed_in(Client(), make_member(other_project, "stan", Role.ADMIN))

    assert page(stranger, project, run, **promotion(fork)).status_code == 404
    assert page(Client(), project, run, **promotion(fork)).status_code == 302
    assert stranger.post(where(project, run), promotion(fork)).status_code == 404
    assert run.head == 1


def test_no_other_method_is_taken(operator: Client, project: Project, run: Run) -> None:
    for method in ("put", "patch", "delete"):
        answer = getattr(operator, method)(where(project, run))
        assert answer.status_code in (403, 405)


def test_unknown_sessions_and_forks_are_not_found(
    operator: Client, project: Project, run: Run
) -> None:
    nobody = "sess_" + "0" * 26
    unknown = reverse("console:merge", args=[project.slug, nobody])

    assert operator.get(unknown).status_code == 404
    answer = page(operator, project, run, verb="promote", fork=nobody)
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("verb=merge", 400),
        ("verb=promote", 400),
        ("verb=promote&fork=x", 400),
        ("verb=revert&first=1", 400),
        ("verb=revert&first=2&last=1", 422),
        ("verb=revert&first=1&last=9", 422),
        ("verb=restore&version=0", 400),
        ("verb=restore&version=0&pointer=city", 422),
        ("verb=restore&version=9&pointer=/city", 404),
        ("verb=revert&first=1&last=1&c.x=ours", 400),
        ("verb=revert&first=1&last=1&k.whatever=ours", 400),
        ("verb=revert&first=1&last=1&k.value=value", 400),
    ],
)
def test_what_means_nothing_is_refused(
    operator: Client, project: Project, run: Run, query: str, status: int
) -> None:
    run.patch({"city": "Oslo"})

    answer = operator.get(f"{where(project, run)}?{query}", headers=HTML)

    assert answer.status_code == status


def test_a_choice_that_does_not_fit_is_refused(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    shown = text(page(operator, project, run, **promotion(fork)))
    (id,) = conflicts(shown)
    given = {f"c.{id}": "ours_theirs"}

    assert page(operator, project, run, **fields(shown, **given)).status_code == 422


def test_a_post_that_names_no_head_is_refused(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    answer = operator.post(where(project, run), promotion(fork))

    assert answer.status_code == 400
    assert run.head == 1


def test_where_a_reason_is_required_it_is_asked_for(
    operator: Client, project: Project, run: Run
) -> None:
    run.patch({"city": "Oslo"})
    act = act_in(project)
    accounts.require_rollback_reason(act=act, project=project, is_required=True)
    shown = text(page(operator, project, run, verb="revert", first=1, last=1))
    assert "This project requires it." in shown

    refused = operator.post(where(project, run), fields(shown), headers=HTML)
    assert refused.status_code == 400
    operator.post(where(project, run), fields(shown, reason="Wrong city"))

    assert run.state["city"] == "Rome"


def test_what_states_say_is_text(operator: Client, project: Project, run: Run) -> None:
    fork = run.fork()
    fork.patch({EVIL: EVIL, "city": EVIL})
    run.patch({"city": f"{EVIL}2"})

    assert EVIL not in text(page(operator, project, run, **promotion(fork)))


def test_what_masks_cover_is_shown_nowhere_and_still_merged(
    operator: Client, project: Project, run: Run, fork: Run
) -> None:
    hidden = [{"pointer": p, "style": "hide"} for p in ("/city", "/hotel")]
    act = act_in(project)
    accounts.set_masks(act=act, project=project, masks=masks_of(hidden))

    shown = chosen(operator, project, run, "theirs", **promotion(fork))

    for word in ("Rome", "Oslo", "Berlin", "&quot;B&quot;"):
        assert word not in shown
    assert "[masked]" in shown
    assert 'value="value"' not in shown
    (id,) = conflicts(shown)
    own = {f"c.{id}": "value", f"v.{id}": '"Paris"'}
    refused = operator.post(where(project, run), fields(shown, **own))
    assert refused.status_code == 403
    assert operator.post(where(project, run), fields(shown)).status_code == 303
    assert run.state == {"city": "Berlin", "hotel": "B", "step": 1}
