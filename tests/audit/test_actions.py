"""The table of actions: complete, and readable from both sides."""

import pytest

from apps.audit.actions import SENTENCES, Action, actions_shown_as


@pytest.mark.parametrize("action", Action)
def test_every_action_has_a_trace_name_and_a_sentence(action):
    assert action.trace_name
    assert action.sentence[0].isupper()


def test_the_table_has_nothing_but_actions():
    assert set(SENTENCES) == set(Action)


def test_it_shows_what_statebase_calls_otherwise_under_that_name():
    assert Action.VERSION_CREATED.trace_name == "state.updated"
    assert Action.SESSION_ROLLED_BACK.trace_name == "state.rolled_back"
    assert Action.TURN_ADDED.trace_name == "turn.added"


def test_a_trace_name_leads_back_to_our_actions():
    assert Action.VERSION_CREATED in actions_shown_as("state.updated")
    assert actions_shown_as("nothing.happened") == []
