"""What is asked, edited and ruled is held to the rules of states and of names."""

from __future__ import annotations

from typing import Any

import pytest

from apps.accounts.models import Scope, User
from apps.approvals.errors import UnacceptableApproval, UnacceptableArguments
from apps.approvals.models import Approval, Vote
from apps.core.errors import UnacceptableJson
from tests.approvals.make import REFUND, asked, voted
from tests.timeline.runs import Run, assert_refused

pytestmark = pytest.mark.django_db
RULES = "/v1/agents/travel/approval-rules"
DEEP: Any = 1
for _ in range(140):
    DEEP = [DEEP]


@pytest.fixture
def admin(api: Any, make_key: Any) -> Any:
    return api(make_key(scope=Scope.ADMIN))


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (b'{"a": NaN}', 400, "malformed_json"),
        (b'{"a": 1, "a": 2}', 400, "malformed_json"),
        (b'{"a": 1e400}', 422, "unacceptable_json"),
        (b'{"a": 1' + b"0" * 5_000 + b"}", 422, "unacceptable_json"),
        (b'{"a":' + b"[" * 140 + b"]" * 140 + b"}", 422, "unacceptable_json"),
        (b'{"a": "' + b"x" * 65_536 + b'"}', 422, "unacceptable_approval"),
        (b'{"a": "' + b"x" * (16 << 20) + b'"}', 422, "unacceptable_approval"),
        (b'{"a": "' + b"x" * (33 << 20) + b'"}', 413, "payload_too_large"),
        (b"[1]", 400, "invalid_request"),
    ],
)
@pytest.mark.parametrize("name", ["arguments", "schema"])
def test_what_is_asked_is_held_to_the_rules_of_states(
    run: Run, name: str, arguments: bytes, status: int, code: str
) -> None:
    other = b', "arguments": {}' if name == "schema" else b""
    body = b'{"tool": "t"' + other + b', "' + name.encode() + b'": ' + arguments + b"}"

    answer = run.client.post(run.path("approvals"), body)

    assert (answer.status, answer.code) == (status, code), answer.content[:500]
    assert not Approval.objects.exists()


@pytest.mark.parametrize(
    "arguments", [{"a": float("nan")}, {"a": 10**5_000}, {"a": DEEP}, {"a\ud800": 1}]
)
def test_what_is_edited_is_held_to_the_rules_of_states(
    run: Run, project: Any, olga: User, arguments: Any
) -> None:
    approval = asked(run, schema=None)["id"]

    with pytest.raises(UnacceptableJson):
        voted(project, olga, approval, arguments=arguments)

    assert not Vote.objects.exists()


def test_what_is_edited_is_no_larger_than_what_is_asked(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run, schema=None)["id"]

    with pytest.raises(UnacceptableApproval) as refused:
        voted(project, olga, approval, arguments={"a": "x" * 65_536})

    assert refused.value.param == "arguments"


def test_edited_arguments_outside_the_schema_are_named_by_their_places(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run)["id"]

    with pytest.raises(UnacceptableArguments) as refused:
        voted(project, olga, approval, arguments={"amount": 5_001, "to": 4471})

    places = {one["param"] for one in refused.value.details["errors"]}
    assert places == {"/arguments/amount", "/arguments/to"}
    assert not Vote.objects.exists()


@pytest.mark.parametrize("name", ["tool", "key"])
def test_names_have_200_characters(run: Run, name: str) -> None:
    assert asked(run, **{name: "\N{LATIN SMALL LETTER E WITH ACUTE}" * 200})

    for text in ("e" * 201, "a\nb", " "):
        answer = run.client.post(run.path("approvals"), {**REFUND, name: text})
        assert_refused(answer, 422, "unacceptable_approval", name)


@pytest.mark.parametrize(
    "check",
    [
        "state.amount sounds 3",
        "state.amount>500 XOR state.to=1",
        "each state.a: 1",
        "state.a=1 AND",
        " AND ".join(["state.a=1"] * 65),
    ],
)
def test_a_check_of_unknown_words_or_too_many_is_refused_at_its_place(
    admin: Any, run: Run, check: str
) -> None:
    answer = admin.post(RULES, {"check": check})

    assert_refused(answer, 400, "invalid_request", "check")
    assert 0 <= answer.body["error"]["position"] <= len(check)


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({"votes": 3}, "votes"),
        ({"votes": 0}, "votes"),
        ({"who": "anybody"}, "who"),
        ({"class": "safe"}, "class"),
        ({"on_expiry": "approve"}, "on_expiry"),
    ],
)
def test_terms_that_there_are_not_are_refused(
    admin: Any, run: Run, said: Any, param: str
) -> None:
    asking = run.client.post(run.path("approvals"), {**REFUND, **said})
    ruling = admin.post(RULES, {"tool": "t", **said})

    for answer in (asking, ruling):
        assert_refused(answer, 400, "invalid_request", param)
    assert not Approval.objects.exists()
