"""What a checkpointer has merged by itself is stored as the promotion that it is."""

import base64
from typing import Any

import pytest

from apps.timeline.bodies import bundles
from apps.timeline.models import Version
from apps.timeline.queries.merging import Promote, Result
from apps.timeline.queries.merging.requests import Sides
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db


def packed(text: str) -> dict[str, Any]:
    data = base64.b64encode(text.encode()).decode()
    return {"saver": {"media_type": "text/plain", "base64": data}}


@pytest.fixture
def run(begin: Begin) -> Run:
    """A session with opaque parts, which both it and its fork have changed."""
    made = begin({"step": 0})
    made.put({"step": 1}, opaque=packed("one"))
    return made


@pytest.fixture
def fork(run: Run) -> Run:
    made = run.fork()
    made.put({"step": 2}, opaque=packed("two"))
    run.put({"step": 3}, opaque=packed("three"))
    return made


def promote(run: Run, fork: Run, **fields: Any) -> Any:
    body = {"fork": fork.id, "expected_version": run.head, **fields}
    return run.client.post(run.path("promote"), body)


def test_the_result_is_stored_whole_with_its_second_parent(run: Run, fork: Run) -> None:
    result = {"state": {"step": 5}, "opaque": packed("both")}

    answer = promote(run, fork, fork_version=1, external_id="merged-1", **result)

    assert answer.status == 200, answer.content
    made = run.get("versions", 3)
    assert (made["op"], made["external_id"]) == ("promote", "merged-1")
    assert (made["source_session_id"], made["source_version"]) == (fork.id, 1)
    assert run.get("checkpoint")["opaque"] == packed("both")
    assert run.get("state")["state"] == {"step": 5}
    assert Version.objects.get(session_id=run.id, number=3).source_opaque is True
    assert run.get("verify")["valid"]
    # The next promotion goes on from there.
    preview = run.get("promote", "preview", fork=fork.id)
    assert preview["base"] == {"session_id": fork.id, "version": 1}


def test_what_is_no_whole_result_is_refused_and_says_what_is_missing(
    run: Run, fork: Run
) -> None:
    whole = {"fork_version": 1, "state": {"step": 5}, "opaque": packed("both")}
    for name in whole:
        answer = promote(run, fork, **{k: v for k, v in whole.items() if k != name})
        assert_refused(answer, 400, "invalid_request", param=name)
    choices = promote(run, fork, **whole, choices={"0" * 32: "ours"})
    assert_refused(choices, 400, "invalid_request", param="choices")
    wrong = promote(run, fork, **{**whole, "opaque": {"saver": {"base64": "?"}}})
    assert wrong.status == 400
    assert run.head == 2


def test_a_result_for_an_older_head_or_an_unknown_version_is_refused(
    run: Run, fork: Run
) -> None:
    whole = {"fork_version": 1, "state": {"step": 5}, "opaque": packed("both")}

    assert_refused(
        promote(run, fork, **{**whole, "expected_version": 1}), 409, "version_conflict"
    )
    assert promote(run, fork, **{**whole, "fork_version": 9}).status == 404
    assert run.head == 2


def test_what_people_allowed_is_this_very_result(run: Run, fork: Run) -> None:
    def asked(state: Any, text: str) -> Any:
        parts = bundles.named_parts({"opaque": packed(text)})
        result = Result(state=state, parts=parts)
        return Promote(fork_id=fork.id, version=1, result=result)

    head = Version.objects.get(session_id=run.id, number=2)
    source = Version.objects.get(session_id=fork.id, number=1)
    sides = Sides(base=head, theirs=source)  # type: ignore[arg-type]
    same = [asked({"step": 5}, "both").details(sides) for _ in range(2)]
    others = [asked({"step": 6}, "both"), asked({"step": 5}, "other")]

    assert same[0] == same[1]
    assert all(one.details(sides) != same[0] for one in others)
    assert "result" not in Promote(fork_id=fork.id, version=1).details(sides)
