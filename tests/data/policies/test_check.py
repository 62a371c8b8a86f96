"""What is blocked, where, by which rule, and that a block shows nothing of it."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.data.policies import Block, Exemption, Policies, Rule, detectors, parse
from apps.data.policies import policies as module
from tests.data.policies.corpus import PERSONAL, SECRETS

NOW = datetime(2026, 11, 23, tzinfo=UTC)
SECRET = b"a project's key"
EMAIL = "write to mei@example.com"
KEY = "sk-1234567890abcdef"
BOTH = parse({"policies": {"block_pii": True, "block_secrets": True}})


def policies(**said: Any) -> Policies:
    return parse({"policies": said})


def checked(
    held_to: Policies,
    value: str = "",
    *exemptions: Exemption,
    key: str = "k",
    metadata: Mapping[str, Any] | None = None,
) -> Block | None:
    return held_to.check(
        key,
        value,
        metadata or {},
        size=len(value.encode("utf-8", "replace")),
        secret=SECRET,
        exemptions=exemptions,
    )


def blocked(held_to: Policies, value: str = "", **where: Any) -> Block:
    block = checked(held_to, value, **where)
    assert block
    return block


def test_without_policies_everything_passes() -> None:
    assert checked(Policies(), f"{EMAIL} {KEY}") is None


@pytest.mark.parametrize(
    ("said", "value", "rule", "kind"),
    [
        ({"block_pii": True}, EMAIL, "policy:block_pii", "email"),
        ({"block_secrets": True}, KEY, "policy:block_secrets", "api_key"),
        (
            {
                "custom_blocked_patterns": [
                    {"name": "codename", "regex": "(?i)bluebird"}
                ]
            },
            "Project BlueBird",
            "policy:custom_blocked_patterns",
            "codename",
        ),
    ],
)
def test_a_block_says_rule_kind_and_place(
    said: dict[str, Any], value: str, rule: str, kind: str
) -> None:
    block = blocked(policies(**said), value)

    assert (block.rule, block.kind, block.place) == (rule, kind, "value")
    assert block.message.startswith("The value ")
    assert rule.removeprefix("policy:") in block.message


def test_a_policy_that_is_off_blocks_nothing() -> None:
    assert checked(policies(block_secrets=True), EMAIL) is None
    assert checked(policies(block_pii=True), KEY) is None


@pytest.mark.parametrize(
    ("key", "value", "metadata", "place"),
    [
        ("user:mei@example.com", "x", {}, "key"),
        ("user:7", EMAIL, {}, "value"),
        ("user:7", "x", {"by": "mei@example.com"}, "metadata"),
        ("user:7", "x", {"mei@example.com": 1}, "metadata"),
        ("user:7", "x", {"a": [{"b": ["mei@example.com"]}]}, "metadata"),
        ("user:7", "x", {"first_name": "Mei"}, "metadata"),
        ("user:7", "x", {"card": 4242424242424242}, "metadata"),
        ("user:7", "x", {"text": "line\nmei@example.com"}, "metadata"),
    ],
)
def test_keys_values_and_metadata_are_looked_at(
    key: str, value: str, metadata: dict[str, Any], place: str
) -> None:
    assert blocked(BOTH, value, key=key, metadata=metadata).place == place


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("user:7:phone", "2125550187", "phone"),
        ("user:7:ssn", "123456789", "ssn"),
        ("users/7/first_name", "Mei", "name"),
        ("user.7.dob", "1990-04-05", "birth_date"),
        ("db:password", "hunter2", "password"),
    ],
)
def test_a_key_is_the_label_of_its_value(key: str, value: str, kind: str) -> None:
    block = blocked(BOTH, value, key=key)

    assert (block.kind, block.place) == (kind, "value")


@pytest.mark.parametrize(("kind", "text"), [*PERSONAL, *SECRETS])
def test_a_block_shows_nothing_of_what_it_found(kind: str, text: str) -> None:
    block = blocked(BOTH, text)
    data = text.encode()
    both = (detectors.secrets(), detectors.personal_data())
    pieces = [
        data[one.start : one.end].decode() for each in both for one in each.each(data)
    ]

    shown = repr(block)

    assert not [piece for piece in pieces if piece in shown]
    assert set(block.masked) <= set("a9* @.-+/():…")
    assert block.fingerprint


def test_the_shape_of_an_address_is_recognisable() -> None:
    assert blocked(BOTH, "mei.lee@example.com").masked == "aaa.aaa@aaaaaaa.aaa"
    assert blocked(BOTH, "my number: (212) 555-0187").masked == "(999) 999-9999"


def test_the_shape_of_a_secret_has_none_of_its_marks() -> None:
    assert blocked(BOTH, "Bearer abc123-def456/ghi789").masked == "aaa999*aaa999*aaa999"
    assert blocked(BOTH, "password: p.w-1@x").masked == "***"


@pytest.mark.parametrize("value", ["\ud800 mei@example.com", "\0mei@example.com"])
def test_a_value_that_is_no_utf_8_is_looked_at_too(value: str) -> None:
    assert blocked(BOTH, value).kind == "email"


def test_a_key_that_is_denied_is_blocked_even_if_it_is_allowed() -> None:
    held_to = policies(allowed_key_prefixes=["u:"], denied_key_prefixes=["u:x"])

    assert checked(held_to, key="u:1") is None
    assert blocked(held_to, key="u:x1").rule == "policy:denied_key_prefixes"
    assert blocked(held_to, key="v:1").rule == "policy:allowed_key_prefixes"


def test_a_value_may_be_as_large_as_is_said_and_no_larger() -> None:
    held_to = policies(max_value_size_bytes=4)

    assert checked(held_to, "\N{GRINNING FACE}") is None
    block = blocked(held_to, "fünf")
    assert block.rule == "policy:max_value_size_bytes"
    assert "5 bytes; at most 4" in block.message


def test_patterns_that_take_too_long_block(monkeypatch: pytest.MonkeyPatch) -> None:
    held_to = policies(custom_blocked_patterns=[{"name": "a", "regex": "b"}])
    monkeypatch.setattr(module, "PATTERN_SECONDS", 0)

    block = blocked(held_to, "nothing")

    assert block.kind == "too_costly"
    assert "take too long" in block.message


def test_what_is_written_expires_after_the_days_of_the_longest_prefix() -> None:
    held_to = policies(retention_days=90, retention_by_prefix={"t:": 1, "t:x:": 0.5})

    assert held_to.expires_at("user", NOW) == NOW + timedelta(days=90)
    assert held_to.expires_at("t:1", NOW) == NOW + timedelta(days=1)
    assert held_to.expires_at("t:x:1", NOW) == NOW + timedelta(hours=12)
    assert Policies().expires_at("t:1", NOW) is None
    assert policies(retention_by_prefix={"t:": 1}).expires_at("u", NOW) is None


def test_the_text_of_an_exemption_passes_and_no_other() -> None:
    block = blocked(BOTH, EMAIL)
    exempt = Exemption(rule=block.rule, fingerprint=block.fingerprint)

    assert checked(BOTH, EMAIL, exempt) is None
    assert checked(BOTH, EMAIL, exempt, key="other") is None
    assert checked(BOTH, f"{EMAIL} ", exempt)
    assert checked(BOTH, f"{EMAIL} {KEY}", exempt)
    assert checked(BOTH, "", exempt, key=EMAIL)


def test_an_exemption_from_one_rule_leaves_the_others() -> None:
    text = f"{EMAIL} {KEY}"
    secret = blocked(BOTH, text)
    exempt = Exemption(rule=secret.rule, fingerprint=secret.fingerprint)

    block = checked(BOTH, text, exempt)

    assert secret.rule == Rule.SECRETS
    assert block
    assert block.rule == Rule.PERSONAL_DATA


def test_an_exempt_prefix_lets_its_keys_pass() -> None:
    exempt = Exemption(rule=Rule.PERSONAL_DATA, prefix="contacts:")

    assert checked(BOTH, EMAIL, exempt, key="contacts:1") is None
    assert checked(BOTH, EMAIL, exempt, key="contact")
    assert checked(BOTH, KEY, exempt, key="contacts:1")


def test_what_passes_says_which_exemptions_it_needed() -> None:
    needed = Exemption(rule=Rule.PERSONAL_DATA, prefix="c:")
    unused = Exemption(rule=Rule.SECRETS, prefix="c:")

    verdict = BOTH.verdict(
        "c:1",
        EMAIL,
        {"also": EMAIL},
        size=9,
        secret=SECRET,
        exemptions=[unused, needed],
    )

    assert verdict.block is None
    assert verdict.exempted == (needed,)


@pytest.mark.parametrize(
    "said",
    [
        {"rule": Rule.VALUE_SIZE, "prefix": "a"},
        {"rule": Rule.DENIED_PREFIXES, "prefix": "a"},
        {"rule": Rule.SECRETS},
        {"rule": Rule.SECRETS, "prefix": ""},
        {"rule": Rule.SECRETS, "fingerprint": b""},
        {"rule": Rule.SECRETS, "fingerprint": b"x", "prefix": "a"},
    ],
)
def test_an_exemption_from_everything_cannot_be_made(said: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"exceptions?"):
        Exemption(**said)


def test_a_fingerprint_is_of_the_secret_the_rule_and_the_place() -> None:
    marks = [
        blocked(BOTH, EMAIL).fingerprint,
        blocked(BOTH, f"{EMAIL}!").fingerprint,
        blocked(BOTH, "", key=EMAIL).fingerprint,
        blocked(policies(custom_blocked_patterns=[{"name": "a", "regex": "m"}]), EMAIL),
    ]
    other = BOTH.check("k", EMAIL, {}, size=1, secret=b"another")

    assert other
    assert len({*marks, other.fingerprint}) == 5
    assert blocked(BOTH, EMAIL, key="another key").fingerprint == marks[0]


said = st.fixed_dictionaries(
    {},
    optional={
        "block_pii": st.booleans(),
        "block_secrets": st.booleans(),
        "custom_blocked_patterns": st.lists(
            st.sampled_from(["b", "c", "[0-9]"]), unique=True, max_size=2
        ).map(lambda many: [{"name": one, "regex": one} for one in many]),
        "retention_days": st.integers(1, 5),
        "retention_by_prefix": st.dictionaries(
            st.sampled_from("ab"), st.integers(1, 5), max_size=2
        ),
        "allowed_key_prefixes": st.lists(st.sampled_from("ab"), min_size=1, max_size=2),
        "denied_key_prefixes": st.lists(st.sampled_from(["ab", "c"]), max_size=2),
        "max_value_size_bytes": st.integers(1, 30),
        "max_keys_per_agent": st.integers(1, 5),
        "checkpoint_keep_last": st.integers(1, 5),
        "checkpoint_keep_days": st.integers(1, 5),
    },
)
writes = st.tuples(
    st.text(alphabet="abc", min_size=1, max_size=3),
    st.sampled_from(["x", "b", "c7", EMAIL, KEY]),
)


@given(own=said, floor=said, write=writes)
def test_a_floor_is_never_lowered(
    own: dict[str, Any], floor: dict[str, Any], write: tuple[str, str]
) -> None:
    agent, project = policies(**own), policies(**floor)
    key, value = write

    held_to = agent.with_floor(project)

    either = checked(agent, value, key=key) or checked(project, value, key=key)
    assert bool(checked(held_to, value, key=key)) == bool(either)
    ends = {one.expires_at(key, NOW) for one in (agent, project)} - {None}
    assert held_to.expires_at(key, NOW) == min(ends, default=None)
    for name in module.NUMBERS:
        numbers = {getattr(one, name) for one in (agent, project)} - {None}
        assert getattr(held_to, name) == min(numbers, default=None)


@pytest.mark.parametrize(
    ("floor", "rule", "value"),
    [
        ({"block_pii": True}, "policy:block_pii", EMAIL),
        ({"block_secrets": True}, "policy:block_secrets", KEY),
        (
            {"custom_blocked_patterns": [{"name": "a", "regex": "b"}]},
            "policy:custom_blocked_patterns",
            "b",
        ),
        ({"allowed_key_prefixes": ["a"]}, "policy:allowed_key_prefixes", ""),
        ({"denied_key_prefixes": ["k"]}, "policy:denied_key_prefixes", ""),
        ({"max_value_size_bytes": 3}, "policy:max_value_size_bytes", "long"),
    ],
)
def test_a_floor_holds_for_a_config_that_says_otherwise(
    floor: dict[str, Any], rule: str, value: str
) -> None:
    agent = policies(
        block_pii=False,
        block_secrets=False,
        custom_blocked_patterns=[],
        allowed_key_prefixes=["k"],
        denied_key_prefixes=[],
        max_value_size_bytes=1_000,
    )

    assert checked(agent, value) is None
    assert blocked(agent.with_floor(policies(**floor)), value).rule == rule


def test_a_pattern_of_both_is_looked_for_once() -> None:
    one = policies(custom_blocked_patterns=[{"name": "a", "regex": "b"}])

    assert len(one.with_floor(one).patterns) == 1
