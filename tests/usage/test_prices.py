"""Price lists fill in what turns cost that do not say it."""

from typing import Any

import pytest

from apps.guards import pricing
from tests.timeline import runs
from tests.timeline.runs import assert_refused, succeeded

pytestmark = pytest.mark.django_db
RATES = {"large": {"input": "2.50", "output": "10", "cached": "1.25"}}
TOKENS = {"input_tokens": 1000, "output_tokens": 100, "cached_tokens": 600}


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    pricing._known.clear()


def priced(admin: Any, **said: Any) -> Any:
    body = {"currency": "USD", "models": RATES, **said}
    return succeeded(admin.post("/v1/prices", body)).body


def test_a_missing_cost_is_filled_in_and_says_so(admin, run):
    made = priced(admin)

    turn = run.turn(usage=TOKENS, model="large")

    # 400 * 2.5 + 600 * 1.25 + 100 * 10, of a million
    assert turn["usage"]["cost"] == "0.00275"
    assert turn["usage"]["price_id"] == made["id"]
    assert turn["spent"]["filled_in"] == 1


def test_what_a_turn_says_itself_stands(admin, run):
    priced(admin)

    turn = run.turn(usage={**TOKENS, "cost": "9", "currency": "USD"}, model="large")

    assert turn["usage"]["cost"] == "9"
    assert turn["usage"]["price_id"] is None


@pytest.mark.parametrize(
    ("usage", "model"),
    [
        (TOKENS, "small"),
        (TOKENS, None),
        ({"input_tokens": 1000}, "large"),
    ],
)
def test_what_is_not_known_is_not_guessed(admin, run, usage, model):
    priced(admin)

    turn = run.turn(usage=usage, model=model)

    assert turn["usage"]["cost"] is None
    assert turn["spent"]["cost"] is None


def test_the_list_in_force_counts(admin, run):
    priced(admin, valid_from="2020-01-01T00:00:00Z")
    rates = {"large": {"input": "0", "output": "0"}}
    priced(admin, valid_from="2021-01-01T00:00:00Z", models=rates)
    priced(admin, valid_from="2999-01-01T00:00:00Z")

    assert run.turn(usage=TOKENS, model="large")["usage"]["cost"] == "0"


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({"models": {"large": {"input": "1"}}}, "models.large.output"),
        ({"models": {"large": {"input": None, "output": "1"}}}, "models.large.input"),
        ({"models": {"large": {"input": "-1", "output": "1"}}}, "models.large.input"),
        ({"models": {"large": {"input": 1.5, "output": "1"}}}, "models.large.input"),
        ({"models": {"large": {**RATES["large"], "x": "1"}}}, "models.large.x"),
        ({"models": {"large": "1"}}, "models.large"),
        ({"models": {}}, "models"),
        ({"currency": "usd"}, "currency"),
        ({"valid_from": "yesterday"}, "valid_from"),
    ],
)
def test_a_list_with_a_hole_is_refused_and_says_where(admin, said, param):
    body = {"currency": "USD", "models": RATES, **said}

    assert_refused(admin.post("/v1/prices", body), 422, "unacceptable_prices", param)


def test_a_model_that_the_list_before_priced_is_not_forgotten_by_mistake(admin):
    priced(admin, valid_from="2020-01-01T00:00:00Z")
    other = {"small": RATES["large"]}

    refused = admin.post("/v1/prices", {"currency": "USD", "models": other})

    assert_refused(refused, 422, "unacceptable_prices", "models")
    assert "large" in refused.body["detail"]
    priced(admin, models=other, drops=["large"])


def test_two_lists_are_not_valid_from_one_moment(admin):
    priced(admin, valid_from="2020-01-01T00:00:00Z")
    body = {"currency": "USD", "models": RATES, "valid_from": "2020-01-01T00:00:00Z"}

    assert_refused(
        admin.post("/v1/prices", body), 422, "unacceptable_prices", "valid_from"
    )


def test_another_projects_prices_are_not_seen(
    admin, run, api, make_key, other_project: Any
):
    priced(admin)
    stranger = api(make_key(project=other_project))

    assert succeeded(stranger.get("/v1/prices")).body["data"] == []
    other = runs.begin(stranger, {"step": "begin"})
    assert other.turn(usage=TOKENS, model="large")["usage"]["cost"] is None
