"""The client decides checks offline: by code that is written from this one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import apps.checks as ours
import stepback.checks as theirs
from apps.core import json as stored
from tests.checks.drawn import CHECKS, STATES


@settings(max_examples=200)
@given(CHECKS, STATES, STATES)
def test_both_sides_decide_alike(check: Any, state: Any, before: Any) -> None:
    text = ours.write_text(check)
    # As each side reads what was stored.
    sent = [stored.dumps(one) for one in (state, before)]
    here = ours.evaluate(
        ours.read_text(text), stored.parse(sent[0]), before=stored.parse(sent[1])
    )
    there = theirs.evaluate(
        theirs.read_text(text), json.loads(sent[0]), before=json.loads(sent[1])
    )

    assert (there.outcome, there.looks) == (here.outcome, here.looks)


@settings(max_examples=200)
@given(st.text(st.sampled_from('state.w:=<>()[],/"\\ANDORNOT0159-e~it'), max_size=40))
def test_both_sides_refuse_alike(text: str) -> None:
    said = []
    for side in (ours, theirs):
        try:
            said.append(repr(side.read_text(text)))
        except (ours.CheckRefused, theirs.CheckRefused) as refused:
            said.append(refused.sentence)

    assert said[0] == said[1]


@pytest.mark.parametrize("text", ["state.a=", "stat.a=1", "tpye:state.a=text", "("])
def test_what_is_wrong_is_told_at_the_same_place(text: str) -> None:
    with pytest.raises(ours.CheckRefused) as here:
        ours.read_text(text)
    with pytest.raises(theirs.CheckRefused) as there:
        theirs.read_text(text)

    assert there.value.sentence == here.value.sentence
