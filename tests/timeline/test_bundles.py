"""Bundles: a session with its effects, and nothing in it of what is to be hidden."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from threading import Semaphore
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from apps.accounts.masks import mask_of
from apps.accounts.models import Role, Scope
from apps.agents.scope import Scope as ScopeOf
from apps.timeline.api.bundles import copies, views
from apps.timeline.api.bundles.lines import Bundle
from apps.timeline.models import Session
from apps.timeline.versions import fetching
from tests.accounts.make import make_member
from tests.approvals.make import voted
from tests.erasures.leaving import done

pytestmark = pytest.mark.django_db
MAIL = "zoe.fuchs@example.org"
NAME = 'Zoë "Foxy" Fuchs'


@pytest.fixture
def ours(api: Any, make_key: Any) -> Any:
    return api(make_key())


@pytest.fixture
def session(ours: Any) -> str:
    """A session that has the customer's address in every place that there is."""
    customer = {"email": MAIL, "name": NAME, "age": 7, "phone": 4915112345}
    made = done(
        ours.post(
            "/v1/sessions",
            {
                "agent_id": "travel",
                "title": f"Ask {MAIL}",
                "metadata": {"from": MAIL},
                "initial_state": {"customer": customer, "n": 1},
            },
        )
    )
    path = f"/v1/sessions/{made['id']}"
    messages = [
        {"role": "user", "content": f"I am {MAIL.upper()}, call 4915112345"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "function": {
                        "name": "find",
                        "arguments": json.dumps({"customer": {"email": MAIL, "x": 1}}),
                    },
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps({MAIL: NAME})},
    ]
    checkpoint = {
        "op": "replace",
        "state": {"customer": {**customer, "age": 8}, "by": {MAIL: [1]}, "n": 2},
        "messages": messages,
        "tool_results": {"c1": {"to": MAIL}},
    }
    done(ours.post(f"{path}/versions", {"versions": [checkpoint]}))
    turn = {
        "input": {
            "type": "tool_call",
            "content": f"Mail {MAIL}",
            "tool_metadata": {"name": "send", "arguments": {"customer": {"age": 7}}},
        },
        "output": {"content": "ok", "output": {"sent": [NAME]}},
        "reasoning": f"{MAIL} asked",
    }
    done(ours.post(f"{path}/turns", turn))
    effect = {"key": f"mail-{MAIL}", "tool": "send_mail", "arguments": {"to": MAIL}}
    begun = done(ours.post(f"{path}/effects", effect))
    finished = {"attempt": 1, "status": "done", "result": {"to": MAIL, "ok": True}}
    done(ours.post(f"{path}/effects/{begun['id']}/finish", finished))
    return path


def read(ours: Any, path: str, **asked: Any) -> bytes:
    answer = ours.post(f"{path}/bundle", asked)
    assert answer.status == 200, answer.body
    return bytes(answer.content)


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def of_type(data: bytes, kind: str) -> list[dict[str, Any]]:
    return [one for one in lines(data) if one["type"] == kind]


def test_it_is_a_trajectory_with_effects_and_what_was_said(
    ours: Any, session: str
) -> None:
    data = read(ours, session)

    kinds = [one["type"] for one in lines(data)]
    assert kinds == [
        *("header", "version", "version", "turn", "effect", "conversation", "trailer")
    ]
    (effect,) = of_type(data, "effect")
    assert (effect["tool"], effect["arguments"]) == ("send_mail", {"to": MAIL})
    assert (effect["status"], effect["result"]) == ("done", {"to": MAIL, "ok": True})
    assert "provider_key" not in effect
    (said,) = of_type(data, "conversation")
    assert len(said["messages"]) == 3
    assert said["tool_results"] == {"c1": {"to": MAIL}}


def test_its_trailer_has_the_digest_of_all_lines_before_it(
    ours: Any, session: str
) -> None:
    data = read(ours, session, masks=["/customer/email"])

    head, _, tail = data.rstrip(b"\n").rpartition(b"\n")
    trailer = json.loads(tail)
    assert trailer["sha256"] == hashlib.sha256(head + b"\n").hexdigest()
    assert (trailer["versions"], trailer["turns"]) == (2, 1)


def test_what_is_masked_is_nowhere_in_it(ours: Any, session: str) -> None:
    data = read(ours, session, masks=["/customer/email", "/customer/name"])

    text = data.decode().lower()
    for name in (MAIL, NAME, "Foxy", "zoe.fuchs", r"zo\u00eb"):
        assert name.lower() not in text
    state = of_type(data, "version")[1]["state"]
    assert state["customer"] == {
        "email": "[masked]",
        "name": "[masked]",
        "age": 8,
        "phone": 4915112345,
    }
    assert state["by"] == {"[masked]": [1]}
    (effect,) = of_type(data, "effect")
    assert effect["arguments"] == {"to": "[masked]"}
    assert effect["result"] == {"to": "[masked]", "ok": True}


def test_arguments_that_are_json_in_a_text_are_json_afterwards(
    ours: Any, session: str
) -> None:
    data = read(ours, session, masks=["/customer/email"])

    (said,) = of_type(data, "conversation")
    (call,) = said["messages"][1]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {
        "customer": {"email": "[masked]", "x": 1}
    }
    assert json.loads(said["messages"][2]["content"]) == {"[masked]": NAME}


def test_numbers_are_hidden_in_texts_and_short_values_at_their_place_alone(
    ours: Any, session: str
) -> None:
    data = read(ours, session, masks=["/customer/phone", "/customer/age"])

    assert b"4915112345" not in data
    (trailer,) = of_type(data, "trailer")
    # 7 and 8 stand in every second text.
    assert trailer["masked"] == {"values": 1, "short_values": 2}
    ages = [one["state"]["customer"]["age"] for one in of_type(data, "version")]
    assert ages == ["[masked]", "[masked]"]
    (turn,) = of_type(data, "turn")
    called = turn["input"]["tool_metadata"]["arguments"]
    assert called == {"customer": {"age": "[masked]"}}


def test_what_the_project_masks_is_hidden_as_well(
    api: Any, make_key: Any, ours: Any, session: str
) -> None:
    admin = api(make_key(scope=Scope.ADMIN))
    masks = [
        {"pattern": "email", "style": "last4"},
        {"pointer": "/**/name", "style": "digest"},
    ]
    done(admin.put("/v1/masks", {"masks": masks}))

    data = read(ours, session)

    assert MAIL.encode() not in data
    assert b"Foxy" not in data
    (header,) = of_type(data, "header")
    assert header["bundle"] == {"version": 1, "masks": [], "project_masks": 2}


@given(
    st.sets(st.text("aBéİ.|x", min_size=3, max_size=6), min_size=1, max_size=8),
    st.text("abéİ.|X", max_size=30),
)
def test_copies_are_found_as_one_by_one(words: set[str], text: str) -> None:
    longest_first = sorted(words, key=len, reverse=True)
    one_by_one = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)

    found = list(copies.finder_of(words)(text))

    hidden = {at for start, stop in found for at in range(start, stop)}
    for match in one_by_one.finditer(text):
        assert match.start() in hidden


def test_an_excerpt_does_not_show_how_a_value_begins(ours: Any) -> None:
    asked = {"agent_id": "travel", "initial_state": {"name": "Persephone Quill"}}
    path = f"/v1/sessions/{done(ours.post('/v1/sessions', asked))['id']}"
    done(ours.patch(f"{path}/state", {"state": {"asked": "Hello from Persephone Q…"}}))

    data = read(ours, path, masks=["/name"])

    assert b"Perse" not in data


def test_what_comes_while_it_is_read_is_no_part_of_it(
    ours: Any, session: str, project: Any
) -> None:
    session_id = session.rpartition("/")[2]
    scope = ScopeOf(project, None)
    made = Bundle(
        project=project,
        session=Session.objects.select_related("agent").get(id=session_id),
        last=fetching.version(scope, session_id, None, now=timezone.now()),
        masks=[mask_of({"pointer": "/customer/email", "style": "hide"}, "masks[0]")],
        now=timezone.now(),
    )
    begun = {"key": "late", "tool": "pay", "arguments": {"by": "late@example.org"}}
    early = done(ours.post(f"{session}/effects", {**begun, "key": "early"}))
    made = replace(made, now=timezone.now())

    pieces = made.lines()
    done(ours.post(f"{session}/effects", begun))
    finished = {"attempt": 1, "status": "done", "result": {"to": "new@example.org"}}
    done(ours.post(f"{session}/effects/{early['id']}/finish", finished))
    done(ours.post(f"{session}/turns", {"input": "later@x.org", "output": "ok"}))
    data = b"".join(pieces)

    assert [one["key"] for one in of_type(data, "effect")][1:] == ["early"]
    assert of_type(data, "effect")[1]["status"] == "begun"
    assert len(of_type(data, "turn")) == 1
    assert b"new@example.org" not in data


def test_what_people_were_asked_ends_with_the_versions_too(
    ours: Any, session: str, project: Any
) -> None:
    asked = {"tool": "refund", "arguments": {"email": MAIL, "amount": 24917}}
    approval = done(ours.post(f"{session}/approvals", asked))
    waits = approval["version"]
    voted(project, make_member(project, "olga", Role.OPERATOR), approval["id"])

    (decided,) = of_type(read(ours, session, masks=["/email"]), "approval")
    (waiting,) = of_type(read(ours, session, version=waits), "approval")

    assert decided["arguments"] == {"email": "[masked]", "amount": 24917}
    assert decided["outcome"]["approved"] is True
    assert decided["outcome"]["arguments"] == decided["arguments"]
    assert (waiting["status"], waiting["outcome"]) == ("pending", None)
    assert of_type(read(ours, session, version=waits - 1), "approval") == []
    assert not decided.keys() & {"votes", "schema", "requested_by"}


def test_what_was_decided_is_told_as_it_was_at_the_last_version(
    ours: Any, session: str, project: Any
) -> None:
    refund, mail = ({"tool": one, "arguments": {}} for one in ("refund", "mail"))
    approval = done(ours.post(f"{session}/approvals", refund))
    before = approval["version"] - 1
    voted(project, make_member(project, "olga", Role.OPERATOR), approval["id"])
    waits = done(ours.post(f"{session}/approvals", mail))["version"]
    done(ours.post(f"{session}/rollback", {"version": before}))

    now = of_type(read(ours, session), "approval")
    then = of_type(read(ours, session, version=waits), "approval")

    assert [one["status"] for one in now] == ["voided", "voided"]
    assert [one["status"] for one in then] == ["approved", "pending"]
    assert then[0]["outcome"]["approved"] is True
    assert then[1]["outcome"] is None


@pytest.mark.parametrize("name", ["MOST_EFFECTS", "MOST_APPROVALS"])
@pytest.mark.parametrize("masks", [[], ["/customer/email"]])
def test_more_than_it_takes_is_refused_before_it_begins(
    ours: Any, session: str, monkeypatch: pytest.MonkeyPatch, name: str, masks: Any
) -> None:
    done(ours.post(f"{session}/approvals", {"tool": "refund", "arguments": {}}))
    monkeypatch.setattr(f"apps.timeline.api.bundles.lines.{name}", 0)

    answer = ours.post(f"{session}/bundle", {"masks": masks})

    assert (answer.status, answer.code) == (413, "content_too_large")


def test_it_ends_at_the_version_that_is_named(ours: Any, session: str) -> None:
    data = read(ours, session, version=0)

    assert [one["version"] for one in of_type(data, "version")] == [0]
    assert of_type(data, "effect") == of_type(data, "turn") == []
    assert of_type(data, "conversation")[0]["messages"] is None


def test_reading_is_enough(api: Any, make_key: Any, session: str) -> None:
    reader = api(make_key(scope=Scope.READ))

    assert len(lines(read(reader, session))) == 7


@pytest.mark.parametrize(
    ("masks", "param"),
    [
        (["customer"], "masks[0]"),
        (["/a", ""], "masks[1]"),
        ([7], "masks[0]"),
        (["/a"] * 101, "masks"),
        ("/a", "masks"),
    ],
)
def test_a_mask_that_is_none_is_refused_at_its_place(
    ours: Any, session: str, masks: Any, param: str
) -> None:
    answer = ours.post(f"{session}/bundle", {"masks": masks})

    assert answer.status in (400, 422)
    assert answer.param == param


def test_more_values_than_are_looked_for_are_refused(ours: Any) -> None:
    state = {"all": [f"value {one}" for one in range(501)]}
    asked = {"agent_id": "travel", "initial_state": state}
    path = f"/v1/sessions/{done(ours.post('/v1/sessions', asked))['id']}"

    answer = ours.post(f"{path}/bundle", {"masks": ["/all"]})

    assert (answer.status, answer.code) == (413, "content_too_large")
    # The place is free again.
    for _ in range(3):
        read(ours, path)


def test_who_finds_all_places_taken_is_asked_to_come_again(
    ours: Any, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "_PLACES", Semaphore(0))

    answer = ours.post(f"{session}/bundle", {})

    assert answer.status == 503
    assert answer.headers["Retry-After"] == "10"


def test_strangers_and_masked_keys_get_none(
    api: Any, make_key: Any, other_project: Any, ours: Any, session: str
) -> None:
    stranger = api(make_key(project=other_project))
    masked = api(make_key(scope=Scope.MASKED))

    assert stranger.post(f"{session}/bundle", {}).status == 404
    assert ours.post("/v1/sessions/sess_nobody/bundle", {}).status == 404
    assert ours.post(f"{session}/bundle", {"version": 9}).status == 404
    assert masked.post(f"{session}/bundle", {}).status == 403
    assert api(None).post(f"{session}/bundle", {}).status == 401
    assert ours.get(f"{session}/bundle").status == 405
