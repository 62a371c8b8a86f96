"""Each detector's line reads by itself: short, without anything that is not printed."""

import pytest

from apps.guards.detecting import Finding, Outcome, read_rule, reason_of, words_of
from apps.guards.words import Kind

RULES = {
    Kind.SCHEMA: {"schema": {"type": "object"}},
    Kind.CHECK: {"check": "state.total<=1500"},
    Kind.LOOP: {},
    Kind.CONTEXT_OVERFLOW: {},
    Kind.NULL_SPREE: {},
    Kind.UNVERIFIED: {"fields": ["/destination", "/dates"]},
    Kind.FAILING_TOOLS: {},
    Kind.PERMISSION_DENIED: {},
    Kind.LOW_CONFIDENCE: {},
    Kind.CONFIRMATION: {},
}
PLACES = ("/a", "/b")


def failed(*places: str, count: int | None = None) -> Finding:
    many = len(places) if count is None else count
    return Finding(Outcome.FAILED, places, many)


def reason(kind: Kind, finding: Finding, *, names_places: bool = True) -> str:
    rule, _ = read_rule(kind, RULES[kind])
    return reason_of(rule, finding, names_places=names_places)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Kind.SCHEMA, "the state does not pass the schema at 2 places: /a, /b"),
        (Kind.CHECK, "this does not hold: state.total<=1500: /a, /b"),
        (Kind.NULL_SPREE, "2 values turned null: /a, /b"),
        (Kind.UNVERIFIED, "2 fields not verified: /a, /b"),
        (Kind.LOW_CONFIDENCE, "a confidence is below 0.7: /a, /b"),
    ],
)
def test_what_failed_is_said_with_its_places(kind, said):
    assert reason(kind, failed(*PLACES)) == said


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Kind.LOOP, "the last 5 outputs are the same"),
        (Kind.CONTEXT_OVERFLOW, "the session has more than 30 turns"),
        (Kind.FAILING_TOOLS, "of the last 20 turns more than 3 had a failed call"),
        (
            Kind.PERMISSION_DENIED,
            "a permission was denied, or it is flagged for review",
        ),
        (Kind.CONFIRMATION, "the confirmation has expired"),
    ],
)
def test_what_fails_at_no_place_is_said_without(kind, said):
    assert reason(kind, failed()) == said


def test_a_confirmation_that_was_tried_too_often_says_so():
    found = failed("/confirmation_attempts")

    said = "the confirmation was tried more than 3 times: /confirmation_attempts"
    assert reason(Kind.CONFIRMATION, found) == said


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_words_of_its_rule_and_of_what_failed(kind):
    _, kept = read_rule(kind, RULES[kind])

    assert len(words_of(kind, kept).split()) > 4
    assert len(reason(kind, failed(), names_places=False).split()) > 3


def test_without_places_nothing_of_the_state_is_said():
    said = reason(Kind.NULL_SPREE, failed("/patients/Ada"), names_places=False)

    assert said == "1 value turned null"


def test_places_are_bounded_and_show_nothing_that_is_not_printed():
    hostile = "/a\n\x1b[31m\u202e" + "x" * 10_000

    said = reason(Kind.NULL_SPREE, failed(hostile, "", count=1_234))

    assert len(said) < 400
    assert said.isprintable()
    assert said.startswith("1,234 values turned null: /a\ufffd\ufffd[31m\ufffd")
    assert said.endswith("the whole state and 1,232 more")


def test_a_long_rule_makes_no_long_line():
    fields = [f"/{'f' * 400}{n}" for n in range(20)]
    _, kept = read_rule(Kind.UNVERIFIED, {"fields": fields})

    assert len(words_of(Kind.UNVERIFIED, kept)) == 300


def test_what_cannot_be_decided_says_that():
    rule, _ = read_rule(Kind.LOOP, {})

    undecided = "whether it passes cannot be decided"
    assert reason_of(rule, Finding(Outcome.UNDECIDED), names_places=True) == undecided
    assert reason_of(None, Finding(Outcome.FAILED), names_places=True) == undecided
