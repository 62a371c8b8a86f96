"""A config's policies are read strictly: what is not understood is refused."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.data.policies import InvalidPolicy, Policies, parse

AT = "/policies/custom_blocked_patterns"
EVERYTHING = {
    "block_pii": True,
    "block_secrets": True,
    "custom_blocked_patterns": [{"name": "project", "regex": r"(?i)\bbluebird\b"}],
    "retention_days": 90,
    "retention_by_prefix": {"temp:": 1, "session:": 0.5},
    "allowed_key_prefixes": ["user:", "temp:"],
    "denied_key_prefixes": ["user:internal:"],
    "max_value_size_bytes": 10_000,
    "max_keys_per_agent": 500,
    "checkpoint_keep_last": 20,
    "checkpoint_keep_days": 30,
}


def refused(policies: Any) -> InvalidPolicy:
    with pytest.raises(InvalidPolicy) as raised:
        parse({"policies": policies})
    return raised.value


def pattern(regex: Any, name: Any = "name") -> dict[str, Any]:
    return {"custom_blocked_patterns": [{"name": name, "regex": regex}]}


def test_every_policy_is_read() -> None:
    policies = parse({"behavior": {"tone": "kind"}, "policies": EVERYTHING})

    assert policies.block_pii
    assert policies.block_secrets
    assert [one.name for one in policies.patterns] == ["project"]
    assert policies.retentions[0].by_prefix == {"temp:": 1, "session:": 0.5}
    assert policies.allowed_key_prefixes == (("user:", "temp:"),)
    assert policies.denied_key_prefixes == ("user:internal:",)
    assert policies.max_value_size_bytes == 10_000
    assert policies.most_keys == 500
    assert policies.checkpoint_keep_last == 20
    assert policies.checkpoint_keep_days == 30


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"policies": {}},
        {"policies": None},
        {"policies": dict.fromkeys(EVERYTHING)},
        {"policy": "premium", "polices": {"a": 1}},
    ],
)
def test_a_config_without_policies_has_none(config: dict[str, Any]) -> None:
    assert parse(config) == Policies()


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("block_pi", "block_pii"),
        ("blockPII", "block_pii"),
        ("Block_Secrets", "block_secrets"),
        ("block_secret", "block_secrets"),
        ("custom_block_patterns", "custom_blocked_patterns"),
        ("retention_day", "retention_days"),
        ("denied_prefixes", "denied_key_prefixes"),
        ("max_value_size", "max_value_size_bytes"),
    ],
)
def test_a_misspelt_policy_is_refused_with_the_likely_one(key: str, meant: str) -> None:
    error = refused({"block_pii": True, key: True})

    assert f"Did you mean {meant}?" in error.message
    assert error.param == f"/policies/{key}"


def test_an_unknown_policy_is_refused_with_all_there_are() -> None:
    error = refused({"x/y~": 1})

    assert "custom_blocked_patterns" in error.message
    assert error.param == "/policies/x~1y~0"


@pytest.mark.parametrize(
    ("config", "param"),
    [
        ({"block_pii": True}, "/block_pii"),
        ({"policy": {"block_pii": True}}, "/policy"),
        ({"Policies": {"block_secrets": True}}, "/Policies"),
        ({"polices": {"retention_days": 3}}, "/polices"),
        ({"policies": [EVERYTHING]}, "/policies"),
        ({"policies": "block_pii"}, "/policies"),
    ],
)
def test_policies_where_they_would_do_nothing_are_refused(
    config: dict[str, Any], param: str
) -> None:
    with pytest.raises(InvalidPolicy) as raised:
        parse(config)

    assert raised.value.param == param


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("block_pii", value) for value in ("true", 1, 0, [], {})),
        ("block_secrets", "yes"),
        *(
            (key, value)
            for key in ("retention_days", "checkpoint_keep_days")
            for value in (0, -1, "7", True, math.nan, math.inf, 10**400, 36_501, [])
        ),
        *(
            (key, value)
            for key in (
                "max_value_size_bytes",
                "max_keys_per_agent",
                "checkpoint_keep_last",
            )
            for value in (0, -5, 1.5, "10", False, 2**60, {})
        ),
        *(
            (key, value)
            for key in ("allowed_key_prefixes", "denied_key_prefixes")
            for value in ("user:", {}, 1, ["a"] * 1_001)
        ),
        ("allowed_key_prefixes", []),
        ("retention_by_prefix", []),
        ("retention_by_prefix", 7),
        ("custom_blocked_patterns", "x"),
        ("custom_blocked_patterns", {"name": "a", "regex": "b"}),
        ("custom_blocked_patterns", [{"name": "a", "regex": "b"}] * 101),
    ],
)
def test_a_policy_of_the_wrong_kind_is_refused(key: str, value: Any) -> None:
    assert refused({key: value}).param == f"/policies/{key}"


@pytest.mark.parametrize(
    ("policies", "param"),
    [
        ({"allowed_key_prefixes": ["a", ""]}, "/policies/allowed_key_prefixes/1"),
        ({"denied_key_prefixes": [None]}, "/policies/denied_key_prefixes/0"),
        ({"denied_key_prefixes": ["a" * 513]}, "/policies/denied_key_prefixes/0"),
        ({"retention_by_prefix": {"a/b": 0}}, "/policies/retention_by_prefix/a~1b"),
        ({"retention_by_prefix": {"": 3}}, "/policies/retention_by_prefix/"),
        ({"retention_by_prefix": {"t:": "3"}}, "/policies/retention_by_prefix/t:"),
        ({"custom_blocked_patterns": ["x"]}, f"{AT}/0"),
        ({"custom_blocked_patterns": [{"name": "a"}]}, f"{AT}/0"),
        (
            {"custom_blocked_patterns": [{"name": "a", "regex": "b", "flags": "i"}]},
            f"{AT}/0",
        ),
        (
            {"custom_blocked_patterns": [{"name": "a", "regex": "b"}] * 2},
            f"{AT}/1/name",
        ),
        (pattern("b", name=""), f"{AT}/0/name"),
        (pattern("b", name=7), f"{AT}/0/name"),
        (pattern("b", name="a" * 101), f"{AT}/0/name"),
    ],
)
def test_what_is_wrong_is_pointed_at(policies: dict[str, Any], param: str) -> None:
    assert refused(policies).param == param


@pytest.mark.parametrize(
    "regex",
    [
        r"(?=secret)",
        r"(?!x)y",
        r"(?<=a)b",
        r"(?<!a)b",
        r"(a)\1",
        r"(?P<a>x)(?P=a)",
        r"(a{1000}){1000}",
        r"a{1001}",
        r".{1000}",
        r"(\pL{50}){9}",
        r"(",
        r"[",
        r"*a",
        r"a**",
        r"(?>a)",
        "\ud800",
        "a" * 1_001,
        "",
        " ",
        7,
        None,
        r"a*",
        r"(x|)",
        r"$",
    ],
)
def test_a_pattern_that_re2_does_not_take_is_refused(regex: Any) -> None:
    assert refused(pattern(regex)).param == f"{AT}/0/regex"


@pytest.mark.parametrize("regex", [r"(a+)+$", r"(x+x+)+y", r"(a|aa)+$"])
def test_a_pattern_that_would_backtrack_is_taken(regex: str) -> None:
    policies = parse({"policies": pattern(regex)})

    assert policies.check("k", "a" * (1 << 20) + "!", {}, size=1, secret=b"s") is None


def test_a_pattern_may_have_a_thousand_characters_and_a_config_a_hundred() -> None:
    patterns = [{"name": str(n), "regex": "a" * 400 + str(n)} for n in range(100)]

    policies = parse({"policies": {"custom_blocked_patterns": patterns}})

    assert len(policies.patterns) == 100


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(st.text(max_size=9), children, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*EVERYTHING, "other"]), json, max_size=3))
def test_any_json_is_read_or_refused_with_its_place(policies: dict[str, Any]) -> None:
    params = []
    try:
        parse({"policies": policies})
    except InvalidPolicy as error:
        params.append(error.param or "")

    assert all(param.startswith("/policies/") for param in params)
