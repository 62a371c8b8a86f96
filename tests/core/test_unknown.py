"""Names that are not taken: where they are, and which one was probably meant."""

from typing import Any

import pytest
from django.test import RequestFactory
from rest_framework import serializers

from apps.core.http.headers import preference
from apps.core.http.input.fields import (
    InputSerializer,
    ListField,
    ObjectField,
    TextField,
)
from apps.core.http.input.unknown import (
    LONGEST_NAME,
    MOST,
    names_of,
    refusal,
    unknown_fields,
    unknown_parameters,
)


class Item(InputSerializer):
    state = ObjectField()
    external_id = TextField()


class Items(ListField):
    holds = Item


class Part(ObjectField):
    holds = Item


class Body(InputSerializer):
    refused = {"paths": "send all of it."}

    agent_id = TextField()
    metadata = ObjectField()
    versions = Items()
    parts = Part()
    shown = serializers.CharField(read_only=True)


def found(body: Any) -> list[str]:
    return [one.param for one in unknown_fields(names_of(Body), body)]


def told(body: Any) -> Any:
    return refusal(unknown_fields(names_of(Body), body))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"agent_id": 1},
        {"metadata": {"anything": 1}},
        {"versions": [{"state": {"any": 1}}, {}, 5, None]},
        {"versions": 5, "parts": []},
        {"parts": {"of any name": {"state": {}}}},
        {"paths": None},
    ],
)
def test_what_is_taken_is_not_found(body: Any) -> None:
    assert found(body) == []


@pytest.mark.parametrize(
    ("body", "params"),
    [
        ({"shown": "x"}, ["shown"]),
        ({"a": 1, "agent_id": 1, "b": None}, ["a", "b"]),
        ({"versions": [{}, {"statee": {}}]}, ["versions[1].statee"]),
        ({"parts": {"mine": {"x": 1}}, "y": 1}, ["y", "parts.mine.x"]),
        ({"paths": []}, ["paths"]),
    ],
)
def test_what_is_not_taken_is_found_where_it_is(body: Any, params: list[str]) -> None:
    assert found(body) == params


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("agentId", "agent_id"),
        ("AGENT-ID", "agent_id"),
        ("agent", "agent_id"),
        ("meta", "metadata"),
        ("colour", None),
        ("\U0001f6eb", None),
        ("", None),
    ],
)
def test_the_nearest_name_is_told(name: str, nearest: str | None) -> None:
    error = told({name: 1})

    assert error.details["nearest"] == nearest
    sentence = f"did you mean `{nearest}`?" if nearest else "it takes agent_id, "
    assert sentence in error.message


def test_an_item_of_a_batch_is_told_with_its_number() -> None:
    error = told({"versions": [*[{}] * 57, {"statee": {}}]})

    assert (error.code, error.param) == ("unknown_field", "versions[57].statee")
    assert error.details == {"nearest": "state", "item": 57}
    assert error.message.startswith("versions[57]: There is no field `statee` here:")


def test_what_is_known_elsewhere_is_refused_with_advice() -> None:
    error = told({"paths": ["/a"]})

    assert error.message == "There is no field `paths` here: send all of it."


def test_several_are_told_together() -> None:
    error = told({"a": 1, "agentId": 1})

    assert error.param == "a"
    both = [(one["param"], one["nearest"]) for one in error.details["errors"]]
    assert both == [("a", None), ("agentId", "agent_id")]


def test_so_many_are_told_and_no_longer_names() -> None:
    error = told({f"{number}{'x' * 1_000_000}": 1 for number in range(MOST + 20)})

    assert len(error.details["errors"]) == MOST
    assert len(error.param) == LONGEST_NAME + 1
    assert len(found({str(number): 1 for number in range(MOST + 20)})) == MOST + 1


def test_a_parameter_is_told_likewise() -> None:
    known = frozenset({"limit", "starting_after"})
    one, two, three = unknown_parameters(
        known, ["limt", "limit", "offset", "team"], {"team": "ask for agents."}
    )

    assert one.nearest() == "limit"
    assert "did you mean `limit`?" in one.described()["message"]
    assert "`starting_after`" in two.described()["message"]
    assert three.described()["message"].endswith("ask for agents.")
    assert refusal([one]).code == "unknown_parameter"


def test_pages_are_not_told_of_where_there_are_none() -> None:
    (one,) = unknown_parameters(frozenset(), ["offset"], {})

    assert one.described()["message"].endswith("it takes none.")


@pytest.mark.parametrize(
    ("header", "handling", "returned"),
    [
        ("", None, None),
        ("handling=lenient", "lenient", None),
        ('return=minimal, Handling="Lenient"; a=1', "lenient", "minimal"),
        ("handling=strict,handling=lenient", "strict", None),
        ("respond-async;handling=lenient", None, None),
        ("handling", "", None),
    ],
)
def test_preferences_are_read_as_the_rfc_has_it(
    header: str, handling: str | None, returned: str | None
) -> None:
    request = RequestFactory().get("/", headers={"Prefer": header})

    assert preference(request, "handling") == handling
    assert preference(request, "return") == returned
