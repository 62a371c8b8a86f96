"""Comparing two sessions: picked by search, what differs, the steps by turns."""

from types import SimpleNamespace

import pytest

from apps.accounts.models import Role
from apps.agents import operations as agents
from apps.agents.mapping import Mapping
from apps.console.pages.session.comparing.told import told_rows
from apps.diffs.meaning.noise import NO_NOISE
from apps.timeline import operations as timeline
from apps.timeline.stepping import alignment, steps
from apps.timeline.stepping.first import ComparedSteps
from apps.timeline.stepping.steps import Group, Step, Window
from apps.timeline.versions.reading import Step as Reported
from tests.accounts.make import make_member
from tests.acts import act_in
from tests.console.make import KEY, Story, address, signed_in


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


def where(project, **query):
    said = "&".join(f"{name}={value}" for name, value in query.items())
    return f"/console/{project.slug}/compare?{said}"


def text(answer):
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def compare(viewer, project, left, right, **query):
    return text(viewer.get(where(project, left=left, right=right, **query)))


def turn(story, said, state=None):
    """Have the customer say something; with a state the turn makes a version."""
    timeline.add_turn(
        session_id=story.id,
        exchange=timeline.Exchange(
            input={"content": said},
            output={"content": "Sure."},
        ),
        state_after=state,
        step=Reported(),
        act=story.act(KEY),
    )
    return story


# -- alignment


def group(said, *does):
    return Group(said=said, steps=[Step(does=(one,)) for one in does])


def drawn(left, right):
    """Write rows as a person would see them."""
    return [
        f"turn {row.turn} {row.mark}"
        if row.turn is not None
        else " ".join(
            [
                row.left.does[0] if row.left else "-",
                row.mark,
                row.right.does[0] if row.right else "-",
            ]
        )
        for row in alignment.aligned(left, right)
    ]


def test_turns_that_both_have_stand_beside_each_other():
    left = [group("Hi", "a", "b"), group("Cancel", "c"), group("Thanks", "e")]
    right = [group("Hi", "a", "x"), group("Thanks", "e", "f")]

    assert drawn(left, right) == [
        "turn 1 =",
        "a = a",
        "b ≠ x",
        "turn 2 only left",
        "c only left -",
        "turn 3 =",
        "e = e",
        "- only right f",
    ]


def test_other_words_in_the_same_place_are_a_different_turn():
    left = [group(None, "a"), group("By train", "b")]
    right = [group(None, "a"), group("By plane", "b")]

    assert drawn(left, right) == ["a = a", "turn 1 ≠", "b = b"]


def test_what_was_kept_in_part_is_alike_and_not_the_same():
    one, other = (
        Group(steps=[Step(does=("a",), is_whole=is_whole)])
        for is_whole in (True, False)
    )

    (row,) = alignment.aligned([one], [other])

    assert (row.mark, row.kind) == ("≈", None)


def test_nothing_beside_nothing_are_no_rows():
    assert alignment.aligned([], []) == []


# -- in what steps differ


def called(name, arguments="{}"):
    return Step(does=("call", name, arguments), call=name, number=1)


def wrote(op, *what):
    version = SimpleNamespace(op=op, number=1)
    return Step(does=("version", op, *what), version=version, number=1)


def kinds(left, right):
    rows = alignment.aligned([Group(steps=left)], [Group(steps=right)])
    return [row.kind for row in rows]


def test_another_tool_is_another_action():
    assert kinds([called("find")], [called("book")]) == ["action"]
    assert kinds([called("find")], []) == ["action"]
    assert kinds([called("find")], [wrote("update")]) == ["action"]


def test_the_same_tool_with_something_else_differs_in_its_arguments():
    rows = alignment.aligned(
        [Group(steps=[called("find", '{"to":{"city":"Oslo"},"n":1}')])],
        [Group(steps=[called("find", '{"to":{"city":"Rome"},"n":1}')])],
    )

    assert [(row.kind, row.place) for row in rows] == [("arguments", "/to/city")]


def test_a_place_shows_what_would_turn_its_letters_around():
    rows = alignment.aligned(
        [Group(steps=[called("find", '{"a\u202eb":1}')])],
        [Group(steps=[called("find", '{"a\u202eb":2}')])],
    )
    found = ComparedSteps(rows=rows, windows=(Window(), Window()), firsts=())

    (row,) = told_rows(found, NO_NOISE)

    assert "\u202e" not in row.place


def test_arguments_that_one_side_did_not_keep_differ_at_no_place():
    rows = alignment.aligned(
        [Group(steps=[called("find", "")])], [Group(steps=[called("find", "{}")])]
    )

    assert [(row.kind, row.place) for row in rows] == [("arguments", None)]


def test_versions_differ_in_their_state_and_acts_in_what_they_are():
    assert kinds([wrote("update", 1)], [wrote("replace", 2)]) == ["state"]
    assert kinds([wrote("turn", 1)], []) == ["state"]
    assert kinds([wrote("rollback")], []) == ["action"]
    assert kinds([wrote("rollback", 1)], [wrote("rollback", 2)]) == ["state"]
    assert kinds([wrote("rollback")], [wrote("update")]) == ["action"]


def test_what_is_alike_differs_in_nothing():
    assert kinds([called("find"), wrote("update")], [called("find")])[0] is None


def test_calls_of_one_tool_stand_beside_each_other_among_others():
    left = [called("a", "[1]"), called("find", "[1]"), called("b", "[1]")]
    right = [called("find", "[2]"), called("c", "[1]")]

    assert kinds(left, right) == ["action", "arguments", "action"]


def test_the_first_of_each_kind_is_told_what_weighs_most_first():
    left = [wrote("update", 1), called("find", "[1]"), called("find", "[3]")]
    right = [wrote("update", 2), called("find", "[2]"), called("find", "[4]")]
    rows = alignment.aligned([Group(steps=left)], [Group(steps=right)])

    found = alignment.firsts(rows)

    assert [(one.kind, rows.index(one.row)) for one in found] == [
        ("arguments", 1),
        ("state", 0),
    ]
    assert alignment.firsts(rows[:0]) == []


# -- the page


def test_the_first_differences_are_marked_and_both_sides_open(viewer, project):
    story = turn(Story(project, {"city": "Rome"}), "Move me to Oslo")
    fork = Story.__new__(Story)
    fork.id, fork.scope, fork.now = story.fork(0), story.scope, story.now
    turn(fork, "Move me to Oslo")
    story.call("find", {"to": "Oslo"}).update({"city": "Oslo"}).call("book")
    fork.call("find", {"to": "<b>"}).update({"city": "Bonn"}).call("cancel")

    page = compare(viewer, project, story.id, fork.id)

    told = page.split("Of these steps the first to differ")[1].split("</p>")[0]
    in_order = ("#first-action", "book", "#first-arguments", "find", "/to")
    places = [told.index(one) for one in (*in_order, "#first-state", "v1 on the left")]
    assert places == sorted(places)
    for kind in ("action", "arguments", "state"):
        (row,) = page.split(f'id="first-{kind}"')[1:]
        row = row.split("</li>")[0]
        assert '<span class="badge">first</span>' in row
        assert f'<span class="hint">{kind}</span>' in row
        # Each side leads to where it stands.
        assert row.count(story.id) == row.count(fork.id) == 1
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


def test_what_came_to_the_shared_version_after_the_fork_is_a_step_of_its_own(
    viewer, project
):
    story = turn(Story(project, {"city": "Rome"}), "Move me to Oslo").call("early")
    fork = Story.__new__(Story)
    fork.id, fork.scope, fork.now = story.fork(0), story.scope, story.now
    turn(story.call("late"), "And back").call("later")

    page = compare(viewer, project, story.id, fork.id).split('id="steps"')[1]

    assert "early" not in page
    assert page.index("late") < page.index("And back") < page.index("later")
    assert "only on the right" not in page


def test_two_that_do_the_same_have_no_first_difference(viewer, project):
    story = Story(project, {"city": "Rome"})
    other = Story(project, {"city": "Rome"})

    page = compare(viewer, project, story.id, other.id)

    assert "the first to differ" not in page
    assert 'id="first-' not in page


def test_a_fork_and_its_origin_are_aligned_by_the_customers_turns(viewer, project):
    story = turn(Story(project, {"city": "Rome"}), "Move me to Oslo", {"city": "Oslo"})
    fork = Story.__new__(Story)
    fork.id, fork.scope, fork.now = story.fork(0), story.scope, story.now
    turn(fork, "Move me to Oslo", {"city": "Bonn"})
    story.call("search_flights").update({"hotel": None})

    page = compare(viewer, project, story.id, fork.id)

    assert "2 values end up different; they parted after v0" in page
    assert "since then 2 versions on the left, 2 on the right" in page
    assert "The same turn" in page
    assert "Move me to Oslo" in page
    assert "search_flights" in page
    assert page.count("only on the left") >= 2
    assert "The first step that differs is" in page


def test_steps_after_the_shared_version_belong_to_the_turn_before_it(viewer, project):
    story = turn(Story(project, {"city": "Rome"}), "Move me to Oslo")
    fork = Story.__new__(Story)
    fork.id, fork.scope, fork.now = story.fork(0), story.scope, story.now
    turn(fork, "Move me to Oslo", {"city": "Oslo"})
    story.update({"city": "Bonn"})

    page = compare(viewer, project, story.id, fork.id)

    steps_shown = page.split('id="steps"')[1]
    assert "The same turn" in steps_shown
    assert "only on the" not in steps_shown
    assert "state copied unchanged" not in steps_shown
    assert "The first step that differs is v1 on the left, v1 on the right" in page


def test_what_is_no_id_is_looked_for_and_the_other_side_stays(viewer, project):
    story = Story(project, {"n": 1}, user_id="u_17")

    answer = viewer.get(where(project, left=story.id, right="u_17"))

    assert answer.status_code == 400
    assert "This is no session&#x27;s id" in answer.content.decode()
    assert f'href="?left={story.id}&amp;right={story.id}"' in answer.content.decode()


def test_two_versions_of_one_session_are_compared(viewer, project):
    story = Story(project, {"n": 0}).update({"n": 1}).update({"n": 2})

    page = compare(viewer, project, story.id, story.id, left_version=1, right_version=2)

    assert "1 value ends up different; they parted after v1" in page
    assert "since then 0 versions on the left, 1 on the right" in page


def test_the_same_state_says_so_and_still_shows_steps(viewer, project):
    story = Story(project, {"n": 0}).update({"n": 1}).update({"n": 0})
    fork = story.fork(0)

    page = compare(viewer, project, story.id, fork)

    assert "Both show the same state; they parted after v0" in page
    assert "n changed from 0 to 1" in page


def test_times_ids_and_noise_are_hidden_until_asked_for(viewer, project):
    one = Story(project, {"updated_at": "2026-03-01T12:00:00Z", "tick": 1, "city": "a"})
    other = Story(
        project, {"updated_at": "2026-03-02T12:00:00Z", "tick": 2, "city": "b"}
    )
    agents.map_states(
        act=act_in(project),
        reference="travel-agent",
        mapping=Mapping(noise=["/tick"]),
    )

    page = compare(viewer, project, one.id, other.id)
    whole = compare(viewer, project, one.id, other.id, shown="all")

    assert "1 value ends up different" in page
    assert "2 times, ids or noise hidden" in page
    assert "/updated_at" not in page
    assert "3 values end up different" in whole
    assert "/updated_at" in whole
    assert "Hide times, ids and noise" in whole


def test_steps_that_begin_at_another_time_are_the_same(viewer, project):
    begun = {"created_at": "2026-03-01T12:00:00Z", "city": "a"}
    one = Story(project, begun)
    other = Story(project, {**begun, "created_at": "2026-03-02T12:00:00Z"})
    without = Story(project, {"city": "a"})

    assert "the first to differ" not in compare(viewer, project, one.id, other.id)
    told = compare(viewer, project, one.id, without.id).split("the first to differ")[1]
    assert "/created_at" in told.split("</p>")[0]


def test_only_times_that_differ_are_said_to_be_that(viewer, project):
    one = Story(project, {"updated_at": "2026-03-01T12:00:00Z"})
    other = Story(project, {"updated_at": "2026-03-02T12:00:00Z"})

    assert "Only times, ids and noise differ" in compare(
        viewer, project, one.id, other.id
    )


def test_all_of_many_values_can_be_read(viewer, project):
    one = Story(project, {f"k{n:04}": n for n in range(450)})
    other = Story(project, {f"k{n:04}": -n - 1 for n in range(450)})

    first = compare(viewer, project, one.id, other.id)
    last = compare(viewer, project, one.id, other.id, start=400)

    assert "Values 1 to 200 of 450" in first
    assert "start=200" in first
    assert "Values 401 to 450 of 450" in last
    assert "/k0449" in last


def test_steps_come_in_windows_and_the_page_says_which(viewer, project, monkeypatch):
    monkeypatch.setattr(steps, "STEPS", 3)
    story = Story(project, {"n": 0})
    for n in range(1, 6):
        story.update({"n": n})
    fork = story.fork(0)

    first = compare(viewer, project, story.id, fork)
    second = compare(viewer, project, story.id, fork, left_after=3, right_after=0)

    assert "Left: looked at v1 to v3 of those up to v5" in first
    assert "left_after=3" in first
    assert "right_after=0" in first
    assert "n changed from 3 to 4" not in first.split('id="steps"')[1]
    assert "n changed from 3 to 4" in second
    assert "Right: no step is left" in second
    assert "First steps" in second


def test_many_turns_at_one_version_are_named(viewer, project, monkeypatch):
    monkeypatch.setattr("apps.timeline.queries.conversation.turns.TURNS_ON", 2)
    story = Story(project, {"n": 0})
    for n in range(4):
        turn(story, f"Question {n}")
    other = Story(project, {"n": 1})

    page = compare(viewer, project, story.id, other.id)

    assert "of what was said at v0 only the beginning was looked at" in page
    assert "Question 1" in page


def test_messages_of_the_state_tell_the_turns_where_none_are_recorded(viewer, project):
    said = [{"role": "user", "content": "Cancel the hotel"}]
    one = Story(project, {"messages": []}).update({"messages": said, "hotel": "gone"})
    other = Story(project, {"messages": []}).update({"messages": said, "hotel": "kept"})

    page = compare(viewer, project, one.id, other.id)

    assert "Customer: “<bdi>Cancel the hotel</bdi>”" in page
    assert "The same turn" in page


def test_sides_are_swapped_by_a_link_with_a_key(viewer, project):
    story = Story(project).update({"n": 1})
    fork = story.fork(0)

    page = compare(viewer, project, story.id, fork, left_version=1)

    assert f'href="?left={fork}&amp;right={story.id}&amp;right_version=1"' in page
    assert 'data-key="s"' in page


def test_hostile_words_stay_words(viewer, project):
    bad = "<img src=x onerror=alert(1)>\u202e"
    story = turn(Story(project, {bad: bad}), bad)
    fork = story.fork(0)
    story.update({bad: "other"}, reasoning=bad)

    page = compare(viewer, project, story.id, fork)

    assert "<img" not in page
    assert "\u202e" not in page


# -- picking


def test_sides_are_picked_by_the_search(viewer, project):
    one = Story(project, {"n": 1}, title="Cancel the return leg", user_id="u_17")
    other = Story(project, {"n": 2}, title="Rebook to Lisbon", user_id="u_204")

    first = text(viewer.get(where(project)))
    second = text(viewer.get(where(project, left=one.id, pick="right", q="u_204")))

    assert "Which session is to be compared?" in first
    assert f'href="?left={one.id}"' in first
    assert "Compare with which session?" in second
    assert f'href="?left={one.id}&amp;right={other.id}"' in second
    assert "Rebook to Lisbon" in second
    assert f"right={one.id}" not in second


def test_a_search_for_a_deed_offers_its_version(viewer, project):
    one = Story(project, {"n": 1})
    other = Story(project, {"n": 2}).update({"hotel": "Ritz"}).update({"n": 3})

    said = {"pick": "right", "q": "changed:state.hotel"}
    page = text(viewer.get(where(project, left=one.id, **said)))
    compared = compare(viewer, project, one.id, other.id, right_version=1)

    chosen = f"?left={one.id}&amp;right={other.id}"
    assert f'href="{chosen}"' in page
    assert f'href="{chosen}&amp;right_version=1">v1</a>' in page
    assert 'name="right_version" value="1"' in compared


def test_every_version_leads_to_a_comparison(viewer, project):
    story = Story(project, {"n": 1}).update({"n": 2})

    page = text(viewer.get(address(project, story.id, "versions", 0)))

    link = f"{where(project)}left={story.id}&amp;left_version=0"
    assert f'<a href="{link}">compare with another session</a>' in page
    assert viewer.get(link.replace("&amp;", "&")).status_code == 200


def test_a_pasted_id_is_found(viewer, project):
    one, other = Story(project, {"n": 1}), Story(project, {"n": 2})

    page = text(viewer.get(where(project, left=one.id, pick="right", q=other.id)))

    assert f"right={other.id}" in page


def test_a_side_can_be_changed_and_the_other_stays(viewer, project):
    one, other = Story(project, {"n": 1}), Story(project, {"n": 2})

    page = compare(viewer, project, one.id, other.id, left_version=0)
    picking = text(
        viewer.get(
            where(project, left=one.id, left_version=0, right=other.id, pick="right")
        )
    )

    assert "pick=right" in page
    assert f'name="left" value="{one.id}"' in picking
    assert 'name="left_version" value="0"' in picking


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"q": "agnet:travel", "pick": "left"}, 400),
        ({"left": "sess_nobody"}, 400),
        ({"pick": "middle"}, 400),
        ({"lefty": "1"}, 400),
        ({"start": "-1"}, 400),
        ({"left_version": "x"}, 400),
        ({"left": "sess_" + "0" * 26, "right": "sess_" + "0" * 26}, 404),
    ],
    ids=str,
)
def test_what_means_nothing_is_refused(viewer, project, query, status):
    assert viewer.get(where(project, **query)).status_code == status


def test_a_version_that_is_not_there_is_not_found(viewer, project):
    story = Story(project)
    query = {"left": story.id, "right": story.id, "right_version": 9}

    assert viewer.get(where(project, **query)).status_code == 404
