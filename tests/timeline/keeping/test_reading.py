"""Every read says what is gone: 410 with the tombstone, or a list that names it."""

from typing import Any

import pytest

from apps.timeline.models import Session, Version
from apps.timeline.operations import keeping
from tests.timeline import runs
from tests.timeline.keeping.gaps import REMOVAL, take, with_gaps

pytestmark = pytest.mark.django_db

PRUNED, EMPTIED = 2, 6
CODES = {PRUNED: "version_pruned", EMPTIED: "contents_erased"}
RANGES = {PRUNED: (1, 3), EMPTIED: (6, 7)}
THERE = [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 0]


@pytest.fixture
def gaps(begin: runs.Begin) -> runs.Run:
    return with_gaps(begin)


def numbers(found: Any) -> list[int]:
    return [one["version"] for one in found["data"]]


def ranges(found: Any) -> list[tuple[str, int, int]]:
    return [
        (one["kind"], one["first_version"], one["last_version"])
        for one in found["removed"]
    ]


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("versions/{}", {}),
        ("checkpoint", {"version": "{}"}),
        ("changes", {"from": "{}"}),
        ("changes", {"from": "0", "to": "{}"}),
        ("changes", {"from": "0", "to": "{}", "format": "patch"}),
        ("check", {"check": "state.step=1", "version": "{}"}),
        ("blame", {"pointer": "/step", "version": "{}"}),
    ],
)
def test_a_read_of_what_is_gone_answers_with_its_tombstone(
    gaps: runs.Run, number: int, path: str, query: dict[str, str]
) -> None:
    asked = {name: value.format(number) for name, value in query.items()}
    answer = gaps.client.get(gaps.path(path.format(number)), asked)
    runs.assert_refused(answer, 410, CODES[number])
    error = answer.body["error"]
    assert (error["session_id"], error["version"]) == (gaps.id, number)
    stone = error["tombstone"]
    assert (stone["first_version"], stone["last_version"]) == RANGES[number]
    assert stone["count"] == stone["last_version"] - stone["first_version"] + 1
    assert (stone["removal_id"], stone["reason"]) == (REMOVAL, "policy")
    assert stone["removed_at"] in {
        one["removed_at"] for one in gaps.get("checkpoints")["removed"]
    }


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("path", ["rollback", "state/rollback", "fork"])
def test_what_is_gone_cannot_be_built_on(
    gaps: runs.Run, number: int, path: str
) -> None:
    before = Version.objects.count(), Session.objects.count()
    answer = gaps.client.post(gaps.path(path), {"version": number})
    runs.assert_refused(answer, 409, CODES[number])
    assert answer.body["error"]["tombstone"]["removal_id"] == REMOVAL
    preview = gaps.client.get(gaps.path("rollback/preview"), {"version": number})
    runs.assert_refused(preview, 409, CODES[number])
    assert (Version.objects.count(), Session.objects.count()) == before


def test_a_rollback_whose_target_went_is_not_undone(begin: runs.Begin) -> None:
    run = begin({"step": 0})
    for step in range(1, 4):
        run.patch({"step": step})
    run.rollback(1)
    run.patch({"step": 9})
    take(keeping.empty_versions, run, first=3, last=3)
    answer = run.client.post(run.path("undo"), {"version": 4})
    runs.assert_refused(answer, 409, "contents_erased")
    assert run.head == 5


def test_a_handoff_of_what_went_since_is_not_adopted(begin: runs.Begin) -> None:
    run = begin({"step": 0})
    run.patch({"step": 1})
    handoff = run.post("handoffs", {"version": 0})
    take(keeping.empty_versions, run, first=0, last=0)
    answer = run.client.post("/v1/handoffs/adopt", {"handoff": handoff})
    runs.assert_refused(answer, 409, "contents_erased")
    refused = run.client.post(run.path("handoffs"), {"version": 0})
    runs.assert_refused(refused, 409, "contents_erased")


@pytest.mark.parametrize("path", ["versions", "state/history", "history"])
@pytest.mark.parametrize("state", ["true", "false"])
def test_a_list_of_versions_names_its_gaps(
    gaps: runs.Run, path: str, state: str
) -> None:
    order = {} if path == "history" else {"order": "desc"}
    found = gaps.get(path, limit=100, include_state=state, **order)
    assert numbers(found) == THERE
    assert ranges(found) == [("pruned", 1, 3)]
    erased = [one["version"] for one in found["data"] if one["contents_erased"]]
    assert erased == [7, 6]
    with_state = [one["version"] for one in found["data"] if "state" in one]
    wanted = [number for number in THERE if number not in erased]
    assert with_state == (wanted if state == "true" else [])


@pytest.mark.parametrize("limit", [1, 2, 3, 9, 10, 11])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_each_gap_is_on_one_page(gaps: runs.Run, limit: int, order: str) -> None:
    seen: list[int] = []
    named: list[tuple[str, int, int]] = []
    after: dict[str, int] = {}
    while True:
        page = gaps.get("versions", limit=limit, order=order, **after)
        seen += numbers(page)
        named += ranges(page)
        if not page["has_more"]:
            break
        after = {"starting_after": page["data"][-1]["version"]}
    assert sorted(seen, reverse=True) == THERE
    assert named == [("pruned", 1, 3)]


def test_turns_name_their_gaps_and_which_were_emptied(gaps: runs.Run) -> None:
    found = gaps.get("turns", limit=100)
    turns = [one["turn_number"] for one in found["data"]]
    assert turns == [13, 12, 11, 10, 9, 8, 7, 6, 5, 4]
    erased = [one["turn_number"] for one in found["data"] if one["contents_erased"]]
    assert erased == [7, 6]
    (stone,) = found["removed"]
    assert (stone["first_turn"], stone["last_turn"], stone["turns"]) == (1, 3, 3)
    (one,) = [turn for turn in found["data"] if turn["turn_number"] == 6]
    assert (one["input"]["content"], one["reasoning"]) == ("", None)
    assert gaps.get("turns", one["id"])["contents_erased"]


@pytest.mark.parametrize("limit", [1, 3, 9, 10, 11])
def test_each_gap_of_turns_is_on_one_page(gaps: runs.Run, limit: int) -> None:
    named: list[tuple[str, int, int]] = []
    after: dict[str, str] = {}
    while True:
        page = gaps.get("turns", limit=limit, **after)
        named += ranges(page)
        if not page["has_more"]:
            break
        after = {"starting_after": page["data"][-1]["id"]}
    assert named == [("pruned", 1, 3)]


def test_a_context_gives_no_empty_turns_and_says_which_are_gone(
    gaps: runs.Run,
) -> None:
    found = gaps.post("context", {"turn_limit": 20})
    turns = [one["turn_number"] for one in found["recent_turns"]]
    assert turns == [13, 12, 11, 10, 9, 8, 5, 4]
    assert ranges(found) == [("pruned", 1, 3), ("emptied", 6, 7)]
    few = gaps.post("context", {"turn_limit": 6})
    assert [one["turn_number"] for one in few["recent_turns"]][-1] == 8
    assert few["removed"] == []


def test_checkpoints_leave_out_what_is_gone_and_name_it(begin: runs.Begin) -> None:
    run = begin({"step": 0}, external_id="run")
    for step in range(1, 8):
        run.patch({"step": step}, external_id=f"c{step}")
    take(keeping.prune_versions, run, first=1, last=2)
    take(keeping.empty_versions, run, first=4, last=5)
    found = run.get("checkpoints")
    assert numbers(found) == [7, 6, 3, 0]
    assert ranges(found) == [("pruned", 1, 2), ("emptied", 4, 5)]
    page = run.get("checkpoints", limit=2)
    assert (numbers(page), page["has_more"], page["removed"]) == ([7, 6], True, [])
    rest = run.get("checkpoints", limit=2, starting_after=6)
    assert (numbers(rest), rest["has_more"]) == ([3, 0], False)
    named = run.client.get(run.path("checkpoints"), {"checkpoint_id": "c4"})
    runs.assert_refused(named, 410, "contents_erased")
    gone = run.get("checkpoints", checkpoint_id="c1")
    assert (gone["data"], ranges(gone)[0]) == ([], ("pruned", 1, 2))


def test_the_checkpoint_to_resume_from_stays(begin: runs.Begin) -> None:
    run = begin({"step": 0}, external_id="run")
    for step in range(1, 4):
        run.patch({"step": step}, external_id=f"c{step}")
    for note in range(3):
        run.patch({"note": note})
    gone = take(keeping.prune_versions, run, first=0, last=5)
    assert gone.pinned[3] == "newest checkpoint"
    assert numbers(run.get("checkpoints")) == [3]


def test_a_preview_does_not_say_that_it_knows_all_calls(gaps: runs.Run) -> None:
    assert gaps.get("rollback/preview", version=4)["tool_calls_truncated"]
    assert not gaps.get("rollback/preview", version=8)["tool_calls_truncated"]


def test_a_session_without_a_removal_names_none(run: runs.Run) -> None:
    for path in ("versions", "state/history", "history", "turns", "checkpoints"):
        assert run.get(path)["removed"] == []
