"""What the head of a session works at, above its timeline: only what it has."""

import html

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from tests.accounts.make import make_member
from tests.console.make import address, signed_in
from tests.timeline import runs

HOSTILE = "<script>alert(1)</script>\u202egnp"


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


def begun(api, state, **fields):
    return runs.begin(api(), state, **fields)


def shown(client, project, run):
    page = client.get(reverse("console:session_detail", args=[project.slug, run.id]))
    assert page.status_code == 200
    return page.content.decode()


def test_it_shows_what_states_of_this_field_share(viewer, project, api):
    run = begun(
        api,
        {
            "summary": "He wants his money back.",
            "thought": "The flight was late.",
            "action_log": [f"step {n}" for n in range(9)],
            "tool_cache": {"weather:Rome": {"sky": "clear"}},
            "observed_facts": {"price": 500},
            "tasks": [{"id": "a", "status": "done"}, {"id": "b", "title": "Refund it"}],
        },
    )

    page = shown(viewer, project, run)

    for words in (
        "He wants his money back.",
        "The flight was late.",
        "Action log, 9 entries",
        "step 8",
        "Tool cache, 1 entry",
        "weather:Rome",
        "1 of 2 tasks, next: Refund it",
        "1 fact",
    ):
        assert words in html.unescape(page)
    assert "step 2<" not in page


def test_tool_results_of_their_own_part_are_shown(viewer, project, api):
    run = begun(api, {}, tool_results={"call_1": {"sky": "clear"}})

    assert "Tool results, 1 entry" in shown(viewer, project, run)


def test_a_session_without_any_has_nothing_of_it(viewer, project, api):
    page = shown(viewer, project, begun(api, {"summary": 7, "action_log": {}}))

    for words in ("Summary", "Action log", "Tool cache", "Thought"):
        assert f"<summary>{words}" not in page


def test_hostile_contents_come_out_short_and_harmless(viewer, project, api):
    long = HOSTILE + "x" * 100_000
    usual = len(shown(viewer, project, begun(api, {"n": 1})))
    page = shown(
        viewer,
        project,
        begun(
            api,
            {
                "summary": long,
                "thought": long,
                "action_log": [long] * 30,
                "tool_cache": {long[:5_000]: long, "deep": [[[[long]]]]},
            },
        ),
    )

    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert len(page) < usual + 40_000


def test_a_held_session_says_that_it_goes_on_with_other_code(viewer, project, api):
    run = begun(api, {"n": 1}, release="1")
    run.hold("pause")
    assert "goes on with other code" not in shown(viewer, project, run)
    begun(api, {"n": 1}, release="2")

    page = shown(viewer, project, run)

    assert "It goes on with other code: its release is 1" in page


def test_a_rollback_and_a_fork_say_it_before_they_are_done(client, project, api):
    signed_in(client, make_member(project, "oona", Role.OPERATOR))
    run = begun(api, {"n": 1}, release=HOSTILE[:25])
    run.patch({"n": 2}, release="2")

    for name in ("rollback", "fork"):
        page = client.get(
            address(project, run.id, "versions", 0, name)
        ).content.decode()
        assert "Other code" in page
        assert "<script>" not in page.partition("Other code")[2][:300]
        assert "the agent writes with 2 by now" in page
