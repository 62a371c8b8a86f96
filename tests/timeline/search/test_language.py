"""The search language: what each term asks for, and what a typo is told."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.errors import InvalidRequest
from apps.core.json import pointer
from apps.timeline.scores import ScoreFilter
from apps.timeline.search.clauses import (
    AgentIs,
    AnyOf,
    Changed,
    ChildOf,
    CreatedBetween,
    ExternalId,
    Field,
    Flag,
    Forked,
    FreeTerm,
    Holds,
    LabelIs,
    Match,
    Query,
    ReviewedAs,
    RolledBack,
    Scored,
    SessionIs,
    StandsAs,
    StatusIs,
    TraceIs,
    Unreasoned,
    UpdatedBetween,
    UserIs,
    VersionSays,
    When,
    Within,
    Without,
    Words,
)
from apps.timeline.search.grammar.language import LONGEST_TEXT, MOST_TERMS, parse_query
from apps.timeline.search.grammar.writing import without_clause, write_query

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SESSION = "sess_" + "0" * 26


def read(text):
    return parse_query(text, now=NOW).clauses


def one(text):
    (clause,) = read(text)
    return clause


def holds(pointer, value, *, when=When.NOW, match=Match.EXACT):
    return Holds(text="", when=when, pointer=pointer, value=value, match=match)


def day(number):
    return datetime(2026, 11, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("agent:travel", AgentIs(text="", name="travel")),
        ("Agent=travel", AgentIs(text="", name="travel")),
        ('agent:"travel agent"', AgentIs(text="", name="travel agent")),
        ("agent:a:b=c", AgentIs(text="", name="a:b=c")),
        ("status:active", StandsAs(text="", standing="active")),
        ("status:looks-wrong", StandsAs(text="", standing="wrong")),
        ("status:held", StatusIs(text="", status="paused")),
        ("status:expired", StatusIs(text="", status="expired")),
        ("review:None", ReviewedAs(text="", review="none")),
        (
            "score:reward<=0.5",
            Scored(
                text="", wanted=ScoreFilter(name="reward", operator="<=", value=0.5)
            ),
        ),
        (
            'score:"tone of voice"',
            Scored(text="", wanted=ScoreFilter(name="tone of voice")),
        ),
        ("user:u_17", UserIs(text="", user_id="u_17")),
        ("label:known-good", LabelIs(text="", name="known-good")),
        ("external:order-1", ExternalId(text="", external_id="order-1")),
        (f"session:{SESSION}", SessionIs(text="", session_id=SESSION)),
        (SESSION, SessionIs(text="", session_id=SESSION)),
        (f"parent:{SESSION}", ChildOf(text="", parent_id=SESSION)),
        (f'"{SESSION}"', FreeTerm(text="", term=SESSION)),
        ("trace:9c1", TraceIs(text="", trace_id="9c1")),
        ("rolled-back:yes", RolledBack(text="", wanted=True)),
        ("rolled-back:no", RolledBack(text="", wanted=False)),
        ("rolled-back:unreasoned", Unreasoned(text="", op="rollback")),
        ("reasoned:no", Unreasoned(text="")),
        ("forked:no", Forked(text="", wanted=False)),
        ("flag:null", Flag(text="", name="nulled")),
        ("flag:keys_lost", Flag(text="", name="keys_lost")),
        ("flag:shrank", Flag(text="", name="shrank")),
        ('words:"lost dates"', Words(text="", words="lost dates")),
        ("refund", FreeTerm(text="", term="refund")),
        ('"two words"', FreeTerm(text="", term="two words")),
        ("12:30", FreeTerm(text="", term="12:30")),
        ("/etc/hosts", FreeTerm(text="", term="/etc/hosts")),
        ("state", FreeTerm(text="", term="state")),
        ("statement", FreeTerm(text="", term="statement")),
        ("Zürich", FreeTerm(text="", term="Zürich")),
        ("changed:state.customer.email", Changed(text="", pointer="/customer/email")),
        ("changed:/customer/email", Changed(text="", pointer="/customer/email")),
        ("changed:state", Changed(text="", pointer="")),
        ("release:2026.11", VersionSays(text="", field=Field.RELEASE, value="2026.11")),
        ("model:gpt-4o", VersionSays(text="", field=Field.MODEL, value="gpt-4o")),
        ("step:7", VersionSays(text="", field=Field.STEP, value="7")),
        (
            'objective:"In Progress"',
            VersionSays(text="", field=Field.OBJECTIVE, value="In Progress"),
        ),
        ("reason:lost", VersionSays(text="", field=Field.REASON, value="lost")),
        ("op:Rollback", VersionSays(text="", field=Field.OP, value="rollback")),
        ("-", FreeTerm(text="", term="-")),
        ("--dry-run", FreeTerm(text="", term="--dry-run")),
        ('"-refund"', FreeTerm(text="", term="-refund")),
        ('"OR"', FreeTerm(text="", term="OR")),
        ("or", FreeTerm(text="", term="or")),
    ],
)
def test_a_term_asks_for(text, clause):
    assert replace(one(text), text="") == clause
    assert one(text).text == text


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ('state.order.id="A-17"', holds("/order/id", "A-17")),
        ('/order/id="A-17"', holds("/order/id", "A-17")),
        ("/a~1b=1", holds("/a~1b", 1)),
        ('state."odd key".x=1', holds("/odd key/x", 1)),
        ('state."a/b"."c.d"=1', holds("/a~1b/c.d", 1)),
        ("state.items.0.id=1", holds("/items/0/id", 1)),
        ("state.n=17", holds("/n", 17)),
        ('state.n="17"', holds("/n", "17")),
        ("state.n:17", holds("/n", 17, match=Match.EITHER)),
        ('state.n:"17"', holds("/n", "17")),
        ("state.n=-1.5e3", holds("/n", -1500.0)),
        ("state.n=007", holds("/n", "007", match=Match.EITHER)),
        ("state.ok=true", holds("/ok", True)),
        ("state.ok:null", holds("/ok", None, match=Match.EITHER)),
        ("state.city=Rome", holds("/city", "Rome", match=Match.EITHER)),
        ('state.city=""', holds("/city", "")),
        (
            'ever:state.status="refunded"',
            holds("/status", "refunded", when=When.EVER),
        ),
        ("ever:/status=1", holds("/status", 1, when=When.EVER)),
        ("now:state.status=1", holds("/status", 1)),
        ('ever:"A-17"', holds(None, "A-17", when=When.EVER)),
        ("ever:A-17", holds(None, "A-17", when=When.EVER, match=Match.EITHER)),
        ("ever:17", holds(None, 17, when=When.EVER, match=Match.EITHER)),
        ("now:=17", holds(None, 17)),
    ],
)
def test_a_value_of_the_state_counts_by_its_type_unless_it_stands_bare(text, clause):
    assert replace(one(text), text="") == clause


def within(low, high, *, excludes=False):
    return Within(text="", pointer="/amount", low=low, high=high, excludes=excludes)


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("/amount>100", within(100, None, excludes=True)),
        ("state.amount>=100", within(100, None)),
        ("state.amount<-1.5", within(None, -1.5, excludes=True)),
        ("/amount<=1e3", within(None, 1000.0)),
        ("/amount:10..20", within(10, 20)),
        ("/amount:-1.5..2", within(-1.5, 2)),
        ("/amount:10..", within(10, None)),
        ("now:/amount:..20", within(None, 20)),
        ('/amount:"10..20"', holds("/amount", "10..20")),
        ("/amount:a..b", holds("/amount", "a..b", match=Match.EITHER)),
    ],
)
def test_a_range_bounds_the_number_at_a_place(text, clause):
    assert replace(one(text), text="") == clause


def test_a_minus_leaves_a_term_out():
    found = one('-"two words"')

    assert isinstance(found, Without)
    assert found.text == '-"two words"'
    assert found.clause == FreeTerm(text='"two words"', term="two words")
    assert one("-agent:travel").clause == AgentIs(text="agent:travel", name="travel")


def test_or_stands_closer_than_white_space():
    first, second, third = read("a b OR -user:u1  OR  /n>1 c")

    assert (first.text, third.text) == ("a", "c")
    assert isinstance(second, AnyOf)
    assert second.text == "b OR -user:u1  OR  /n>1"
    assert [one.text for one in second.clauses] == ["b", "-user:u1", "/n>1"]


@pytest.mark.parametrize(
    ("text", "after", "before"),
    [
        ("age<2h", NOW - timedelta(hours=2), None),
        ("age<=90min", NOW - timedelta(minutes=90), None),
        ("age>3d", None, NOW - timedelta(days=3)),
        ("age>999999w", None, NOW - timedelta(days=36_500)),
        ("created>2026-11-01", day(1), None),
        ("created<2026-11-01", None, day(1)),
        ("created>2026-11-01T12:00Z", day(1) + timedelta(hours=12), None),
        (
            "created:2026-11-01",
            day(1) - timedelta(microseconds=1),
            day(2),
        ),
        ("created:2026-11-01..2026-11-03", day(1), day(3)),
        ("created:..2026-11-03", None, day(3)),
    ],
)
def test_a_span_of_time(text, after, before):
    found = one(text)

    assert isinstance(found, CreatedBetween)
    assert (found.after, found.before) == (after, before)


def test_updated_is_when_it_was_last_written():
    assert one("updated>2026-11-01") == UpdatedBetween(
        text="updated>2026-11-01", after=day(1), before=None
    )


def test_terms_stand_between_white_space_in_their_order():
    text = ' agent:travel\tstate.order.id="A 17"  "two words" bare '

    assert [clause.text for clause in read(text)] == [
        "agent:travel",
        'state.order.id="A 17"',
        '"two words"',
        "bare",
    ]


def test_no_term_asks_for_everything():
    assert parse_query("  ", now=NOW) == Query()


@pytest.mark.parametrize(
    ("text", "position", "suggestion"),
    [
        ("agnet:travel", 0, "agent:travel"),
        ("user:u1 agnet:travel", 8, "agent:travel"),
        ("user_id:u1", 0, "user:u1"),
        ("rolledback:yes", 0, "rolled-back:yes"),
        ("reasoned:yes", 9, None),
        ("reasoning:no", 0, "reasoned:no"),
        ("rolled-back:unreason", 12, "rolled-back:unreasoned"),
        ("status:activ", 7, "status:active"),
        ("status:asleep", 7, None),
        ("flag:nul", 5, "flag:null"),
        ("forked:perhaps", 7, None),
        ("agent:", 6, None),
        ("agent: travel", 6, None),
        ('agent:" "', 6, None),
        ("agent<b", 5, "agent:…"),
        ("city=Rome", 0, "state.city=Rome"),
        ("order.id=17", 0, "state.order.id=17"),
        ("https://example.test", 0, None),
        ("state.order.id", 14, "changed:state.order.id"),
        ("state.order.id=", 15, None),
        ("state.=1", 6, None),
        ("state..a=1", 6, None),
        ("state.a>x", 8, "state.a>100"),
        ("state.a>", 8, "state.a>100"),
        ("/a:..", 3, None),
        ("/a:20..10", 3, None),
        ("/a>1e999", 3, None),
        ("state>1", 5, None),
        ("ever:/a>1", 5, None),
        ("OR", 0, None),
        ("OR a", 0, None),
        ("a OR", 4, None),
        ("a OR OR b", 5, None),
        ("a OR agnet:b", 5, "agent:b"),
        ("-agnet:b", 1, "agent:b"),
        ("score:quality<", 6, None),
        ("score:a<b", 6, None),
        ("score<1", 5, "score:…"),
        ("review:bad", 7, None),
        ("reviewed:failed", 0, "review:failed"),
        ("op:rolback", 3, "op:rollback"),
        ("/a~2=1", 0, None),
        ("changed:email", 8, "changed:state.email"),
        ("changed:", 8, "changed:state.name"),
        ('"open', 0, None),
        ('agent:"open', 6, None),
        (r'"bad \x escape"', 5, None),
        (r'"\ud800"', 0, None),
        ('"a"b', 3, None),
        ("state.n=1e999", 8, None),
        ("age:2h", 3, "age<2h"),
        ("age<soon", 4, "age<2h"),
        (
            "created>yesterday",
            8,
            "created>2026-01-31 or created>2026-01-31T12:00Z",
        ),
        ("created:..", 8, None),
        ("a\0b", 1, None),
        (r'user:"\u0000"', 5, None),
        ("x" * (LONGEST_TEXT + 1), 0, None),
        ("x" * 600, 0, None),
        ("state." + "x" * 600 + "=1", 0, None),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_place(text, position, suggestion):
    with pytest.raises(InvalidRequest) as refused:
        read(text)

    assert refused.value.param == "q"
    assert refused.value.details == {"position": position, "suggestion": suggestion}
    assert refused.value.message.startswith(f"At character {position + 1}: ")
    if suggestion:
        assert refused.value.message.endswith(f"Did you mean {suggestion}?")


def test_only_so_many_terms_are_read():
    assert len(read("a " * MOST_TERMS)) == MOST_TERMS
    with pytest.raises(InvalidRequest, match="20 terms") as refused:
        read("a " * 60)
    assert refused.value.details["position"] == 2 * MOST_TERMS


def test_only_so_many_terms_stand_beside_an_or():
    assert len(one(" OR ".join("a" * MOST_TERMS)).clauses) == MOST_TERMS
    with pytest.raises(InvalidRequest, match="20 terms") as refused:
        read(" OR ".join("a" * 200))
    assert refused.value.details["position"] == len("a OR ") * MOST_TERMS


def test_a_chip_can_be_taken_away():
    query = parse_query('agent:travel age<2h "two words"', now=NOW)

    assert write_query(without_clause(query, 1)) == 'agent:travel "two words"'


def test_a_key_with_a_nul_is_written_so_that_it_can_be_read():
    clause = Changed(text="", pointer="/a\0b")

    written = write_query(Query((clause,)))

    assert "\0" not in written
    assert replace(one(written), text="") == clause


KEYS = st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=4)
POINTERS = KEYS.map(pointer)
SCALARS = (
    st.text(max_size=20)
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.none()
)
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20
).filter(str.strip)
MOMENTS = st.none() | st.datetimes(
    min_value=datetime(1900, 1, 1),  # noqa: DTZ001
    max_value=datetime(2200, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


def spans(kind):
    return st.builds(kind, text=st.just(""), after=MOMENTS, before=MOMENTS).filter(
        lambda span: span.after or span.before
    )


EXACT = st.builds(
    Holds,
    text=st.just(""),
    when=st.sampled_from(When),
    pointer=POINTERS,
    value=SCALARS,
    match=st.just(Match.EXACT),
)
ANYWHERE = st.builds(
    Holds,
    text=st.just(""),
    when=st.sampled_from(When),
    pointer=st.none(),
    value=SCALARS,
    match=st.just(Match.EXACT),
)
BARE = st.builds(
    Holds,
    text=st.just(""),
    when=st.sampled_from(When),
    pointer=POINTERS,
    value=st.integers(-99, 99)
    | st.booleans()
    | st.none()
    | st.from_regex(r"[a-z]{4}-[0-9]", fullmatch=True),
    match=st.just(Match.EITHER),
)
NUMBERS = st.integers(-(10**20), 10**20) | st.floats(
    allow_nan=False, allow_infinity=False
)
RANGES = st.one_of(
    st.builds(
        lambda pointer, ends: Within(
            text="", pointer=pointer, low=min(ends), high=max(ends)
        ),
        POINTERS,
        st.tuples(NUMBERS, NUMBERS),
    ),
    st.builds(
        lambda pointer, end, is_low, excludes: Within(
            text="",
            pointer=pointer,
            low=end if is_low else None,
            high=None if is_low else end,
            excludes=excludes,
        ),
        POINTERS,
        NUMBERS,
        st.booleans(),
        st.booleans(),
    ),
)
SIMPLE = st.one_of(
    st.builds(AgentIs, text=st.just(""), name=TEXTS),
    st.builds(UserIs, text=st.just(""), user_id=TEXTS),
    st.builds(LabelIs, text=st.just(""), name=TEXTS),
    st.builds(ExternalId, text=st.just(""), external_id=TEXTS),
    st.builds(ChildOf, text=st.just(""), parent_id=TEXTS),
    st.builds(TraceIs, text=st.just(""), trace_id=TEXTS),
    st.builds(Words, text=st.just(""), words=TEXTS),
    st.builds(FreeTerm, text=st.just(""), term=TEXTS),
    st.builds(Changed, text=st.just(""), pointer=POINTERS),
    st.builds(RolledBack, text=st.just(""), wanted=st.booleans()),
    st.builds(Forked, text=st.just(""), wanted=st.booleans()),
    spans(CreatedBetween),
    spans(UpdatedBetween),
    EXACT,
    ANYWHERE,
    BARE,
    RANGES,
    st.builds(
        VersionSays,
        text=st.just(""),
        field=st.sampled_from([one for one in Field if one is not Field.OP]),
        value=TEXTS,
    ),
)
TERMS = SIMPLE | st.builds(Without, text=st.just(""), clause=SIMPLE)
CLAUSES = TERMS | st.builds(
    AnyOf, text=st.just(""), clauses=st.lists(TERMS, min_size=2, max_size=3).map(tuple)
)


def untexted(clause):
    """Return a clause made from values: without how it was written."""
    match clause:
        case Without(clause=inner):
            return replace(clause, text="", clause=untexted(inner))
        case AnyOf(clauses=some):
            return replace(clause, text="", clauses=tuple(map(untexted, some)))
    return replace(clause, text="")


@given(st.lists(CLAUSES, max_size=5).map(tuple).map(Query))
def test_what_is_written_from_values_is_read_as_the_same_query(query):
    found = read(write_query(query))

    assert tuple(map(untexted, found)) == query.clauses


def assert_stays_the_same(text):
    try:
        query = parse_query(text, now=NOW)
    except InvalidRequest as refused:
        assert 0 <= refused.details["position"] <= len(text)  # noqa: PT017
        return

    assert parse_query(write_query(query), now=NOW) == query


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_and_what_was_read_reads_the_same_again(text):
    assert_stays_the_same(text)


SIGNS = st.sampled_from(
    [
        *["agent:", "state.", "ever:", "/", "=", ":", '"', "age<", "2h", "x", ".", " "],
        *["\\", "-", " OR ", ">", "1..2", "op:"],
    ]
)


@given(st.lists(SIGNS, max_size=12).map("".join))
def test_no_arrangement_of_its_signs_breaks_the_reader(text):
    assert_stays_the_same(text)
