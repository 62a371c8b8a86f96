"""Bodies: what is stored is small, and what comes back is what was stored."""

import random
import struct
import threading

import pytest
from backports.zstd import compress
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core import json
from apps.core.errors import InvalidRequest, PayloadTooLarge
from apps.diffs.outlines import outline
from apps.timeline import bodies
from apps.timeline.bodies import Base, Cache, Codec, CorruptBody, Part

SALT = b"salt" * 4
JSON = "application/json"


def make_messages(count, seed=1):
    """Messages with words that repeat and numbers that do not, as in real states."""
    chance = random.Random(seed)
    words = [f"{chance.randrange(16**6):x}" for _ in range(2000)]
    return [
        {
            "id": f"msg_{seed}_{n}",
            "role": "user",
            "content": " ".join(chance.choices(words, k=25)),
            "cost": chance.random(),
        }
        for n in range(count)
    ]


def make_body(messages):
    return bodies.frame([Part("state", JSON, json.dumps({"messages": messages}))])


def make_noise(size, seed=1):
    return random.Random(seed).randbytes(size)


class StoredRow:
    """What a query returns for a stored body."""

    def __init__(self, number, stored):
        self.number = number
        self.base_number = stored.base_number
        self.codec = int(stored.codec)
        self.data = stored.data
        self.size = stored.size
        self.salt = stored.salt


def make_history(raws):
    """Store the bodies one against the other, as appends do."""
    rows, depths, base = [], [], None
    for number, raw in enumerate(raws):
        stored = bodies.encode(raw, number=number, base=base, salt=SALT)
        rows.append(StoredRow(number, stored))
        depths.append(stored.depth)
        base = Base(number, raw, stored.depth)
    return rows, depths


def chain_to(rows, number):
    chain = [rows[number]]
    while chain[0].base_number is not None:
        chain.insert(0, rows[chain[0].base_number])
    return chain


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.builds(Part, names, names, st.binary(max_size=50)), max_size=5))
def test_framing_loses_nothing(parts):
    parts = [part for part in parts if part.name != "state"]
    parts = list({part.name: part for part in parts}.values())

    assert bodies.unframe(bodies.frame(parts)) == tuple(parts)


@pytest.mark.parametrize(
    "parts",
    [
        [Part("state", JSON, b"{}"), Part("state", JSON, b"{}")],
        [Part("state", "text/plain", b"{}")],
        [Part("", JSON, b"{}")],
        [Part("x", "", b"")],
        [Part("é" * 128, JSON, b"")],
    ],
)
def test_it_does_not_frame_what_it_could_not_read_back(parts):
    with pytest.raises(InvalidRequest):
        bodies.frame(parts)


def test_it_does_not_frame_more_than_a_body_may_have():
    with pytest.raises(PayloadTooLarge):
        bodies.frame([Part("x", JSON, bytes(bodies.MAX_BODY_BYTES))])


def test_it_refuses_a_body_cut_short_or_with_something_added():
    raw = bodies.frame([Part("state", JSON, b"{}"), Part("tasks", JSON, b"[1]")])

    for damaged in [raw[:end] for end in range(len(raw))] + [raw + b"x"]:
        with pytest.raises(CorruptBody):
            bodies.unframe(damaged)


@pytest.mark.parametrize(
    "raw",
    [
        b"SB\x02\x00\x00",
        b"SB\x01\xff\xff",
        b"SB\x01\x00\x01" + struct.pack(">BBQ", 1, 1, 2**64 - 1) + b"ax",
        b"SB\x01\x00\x01" + struct.pack(">BBQ", 1, 1, 0) + b"\xffx",
        b"SB\x01\x00\x02" + (struct.pack(">BBQ", 1, 1, 0) + b"ax") * 2,
    ],
)
def test_it_refuses_framing_that_nothing_of_ours_wrote(raw):
    with pytest.raises(CorruptBody):
        bodies.unframe(raw)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 100, 10_000, 3_000_000])
@pytest.mark.parametrize("make", [make_noise, lambda size: b"ab" * (size // 2)])
def test_any_bytes_come_back(make, size):
    raw, before = make(size), make(size // 3)

    for base in (None, Base(4, before, 0)):
        stored = bodies.encode(raw, number=5, base=base, salt=SALT)
        against = base.raw if base and stored.base_number is not None else None
        assert bodies.decode(stored.codec, stored.data, stored.size, against) == raw
        assert len(stored.data) <= len(raw) + 4


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.binary(max_size=300), st.integers(0, 31))
def test_a_delta_or_a_key_frame_leads_to_the_same_bytes(before, raw, depth):
    stored = bodies.encode(raw, number=9, base=Base(8, before, depth), salt=SALT)

    is_delta = stored.base_number is not None
    assert is_delta == (stored.codec == Codec.ZSTD_DELTA) == (stored.depth > 0)
    base_raw = before if is_delta else None
    assert bodies.decode(stored.codec, stored.data, stored.size, base_raw) == raw


def test_every_version_of_a_session_comes_back_from_at_most_32_rows():
    messages = make_messages(100)
    raws = [make_body(messages[:count]) for count in range(100)]

    rows, depths = make_history(raws)

    assert max(depths) < 32
    assert sum(row.base_number is None for row in rows) < 12
    for number, raw in enumerate(raws):
        assert len(chain_to(rows, number)) <= 32
        expected = bodies.commitment(raw, SALT)
        assert bodies.reconstruct(chain_to(rows, number), expected=expected) == raw


def test_a_cached_body_spares_the_rows_before_it():
    raws = [make_body(make_messages(count)) for count in range(50, 60)]
    rows, _ = make_history(raws)

    assert bodies.reconstruct(rows[8:], base_raw=raws[7]) == raws[9]


def test_one_message_more_in_a_megabyte_costs_less_than_a_hundredth():
    messages = make_messages(4500)
    before, after = make_body(messages), make_body(messages + make_messages(1, 2))

    full = bodies.encode(after, number=1, base=None, salt=SALT)
    delta = bodies.encode(after, number=1, base=Base(0, before, 0), salt=SALT)

    assert len(after) > 1_000_000
    assert delta.base_number == 0
    assert len(delta.data) * 100 < len(full.data)


def test_deltas_do_not_collapse_above_the_usual_window():
    noise = make_noise(6_000_000)

    delta = bodies.encode(
        b"new" + noise[:3_000_000] + b"x" + noise[3_000_000:],
        number=1,
        base=Base(0, noise, 0),
        salt=SALT,
    )

    assert len(delta.data) < 60_000


def test_a_body_unlike_the_one_before_becomes_a_key_frame():
    before, after = make_body(make_messages(100)), make_body(make_messages(100, 2))

    stored = bodies.encode(after, number=7, base=Base(6, before, 3), salt=SALT)

    assert (stored.base_number, stored.depth) == (None, 0)


def test_a_body_is_only_stored_against_an_earlier_one():
    with pytest.raises(ValueError, match="earlier"):
        bodies.encode(b"x", number=3, base=Base(3, b"x" * 9, 0), salt=SALT)


@pytest.mark.parametrize("kind", [Codec.PLAIN, Codec.ZSTD, Codec.ZSTD_DELTA])
def test_no_flipped_bit_goes_unnoticed(kind):
    before = make_body(make_messages(3))
    raw = make_noise(60) if kind == Codec.PLAIN else make_body(make_messages(4))
    base = Base(0, before, 0) if kind == Codec.ZSTD_DELTA else None
    stored = bodies.encode(raw, number=1, base=base, salt=SALT)
    harmless = 0

    for bit in range(len(stored.data) * 8):
        damaged = bytearray(stored.data)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            found = bodies.decode(stored.codec, bytes(damaged), stored.size, before)
        except CorruptBody:
            continue
        # Some bits of zstd's header say nothing about the content, e.g. the window.
        assert found == raw
        harmless += 1

    assert stored.codec == kind
    assert harmless <= 16


def test_a_flipped_bit_in_the_base_is_noticed():
    before = bytearray(make_body(make_messages(30)))
    raw = make_body(make_messages(31))
    stored = bodies.encode(raw, number=1, base=Base(0, bytes(before), 0), salt=SALT)

    before[len(before) // 2] ^= 1

    with pytest.raises(CorruptBody):
        bodies.decode(stored.codec, stored.data, stored.size, bytes(before))


@pytest.mark.parametrize("recorded", [0, 99, 4096, 10_000_001])
def test_it_does_not_decompress_more_than_was_recorded(recorded):
    bomb = compress(bytes(10_000_000))

    with pytest.raises(CorruptBody):
        bodies.decode(Codec.ZSTD, bomb, recorded, None)


@pytest.mark.parametrize("recorded", [-1, bodies.MAX_BODY_BYTES + 1])
def test_it_does_not_believe_an_absurd_size(recorded):
    with pytest.raises(CorruptBody, match="out of range"):
        bodies.decode(Codec.ZSTD, b"", recorded, None)


@pytest.mark.parametrize(
    ("codec", "data"),
    [
        (Codec.ZSTD, b""),
        (Codec.ZSTD, b"\x28\xb5\x2f\xfd"),
        (Codec.ZSTD, compress(b"x" * 9)[:-1]),
        (Codec.ZSTD, compress(b"x" * 9) + b"more"),
        (Codec.ZSTD, compress(b"x" * 9) + compress(b"x" * 9)),
        (Codec.ZSTD_DELTA, compress(b"x" * 9)),
        (Codec.PLAIN, b""),
        (Codec.PLAIN, b"x" * 9),
        (Codec.PLAIN, b"x" * 13),
        (0, b"x" * 9),
        (77, b"x" * 9),
    ],
)
def test_it_refuses_data_that_it_did_not_write(codec, data):
    with pytest.raises(CorruptBody):
        bodies.decode(codec, data, 9, None)


def test_a_commitment_is_kept_by_the_bytes_and_not_by_how_they_are_stored():
    before, raw = make_body(make_messages(5)), make_body(make_messages(6))

    full = bodies.encode(raw, number=1, base=None, salt=SALT)
    delta = bodies.encode(raw, number=1, base=Base(0, before, 0), salt=SALT)

    assert full.data != delta.data
    assert full.commitment == delta.commitment
    bodies.verify(raw, SALT, full.commitment)


@pytest.mark.parametrize(("raw", "salt"), [(b"other", SALT), (b"body", b"pepper")])
def test_another_body_or_another_salt_does_not_verify(raw, salt):
    with pytest.raises(CorruptBody):
        bodies.verify(raw, salt, bodies.commitment(b"body", SALT))


def test_a_chain_with_a_gap_is_refused():
    raws = [make_body(make_messages(count)) for count in range(50, 60)]
    rows, _ = make_history(raws)

    for broken in ([], rows[1:], rows[:3] + rows[4:], rows[::-1], rows * 4):
        with pytest.raises(CorruptBody):
            bodies.reconstruct(broken)


def test_a_body_of_another_version_does_not_pass_for_this_one():
    raws = [make_body(make_messages(count)) for count in range(50, 53)]
    rows, _ = make_history(raws)

    with pytest.raises(CorruptBody):
        bodies.reconstruct(rows, expected=bodies.commitment(raws[0], SALT))


def test_the_cache_returns_what_was_put_in():
    cache = Cache(max_bytes=100)

    cache.put(("sess_a", 1), b"one")

    assert cache.get(("sess_a", 1)) == b"one"
    assert cache.get(("sess_a", 2)) is None
    assert cache.get(("sess_b", 1)) is None


def test_the_cache_drops_what_was_used_least_recently():
    cache = Cache(max_bytes=100)
    for number in range(3):
        cache.put(("sess_a", number), bytes(33))

    cache.get(("sess_a", 0))
    cache.put(("sess_a", 3), bytes(33))

    assert [cache.get(("sess_a", n)) is not None for n in range(4)] == [
        True,
        False,
        True,
        True,
    ]
    assert cache.size == 99


def test_the_cache_does_not_let_one_body_push_out_all_others():
    cache = Cache(max_bytes=100)
    cache.put(("sess_a", 0), bytes(50))

    cache.put(("sess_a", 1), bytes(51))

    assert cache.get(("sess_a", 0)) is not None
    assert cache.get(("sess_a", 1)) is None


def test_the_cache_forgets_an_erased_body_and_a_deleted_session():
    cache = Cache()
    for session, number in [("sess_a", 0), ("sess_a", 1), ("sess_b", 0)]:
        cache.put((session, number), b"raw")

    cache.forget("sess_a", 0)
    assert cache.get(("sess_a", 0)) is None
    assert cache.get(("sess_a", 1)) is not None

    cache.forget("sess_a")
    assert cache.get(("sess_a", 1)) is None
    assert (cache.get(("sess_b", 0)), cache.size) == (b"raw", 3)


def test_the_cache_keeps_its_bound_between_threads():
    cache = Cache(max_bytes=1000)

    def use(seed):
        chance = random.Random(seed)
        for _ in range(2000):
            number = chance.randrange(40)
            found = cache.get(("sess_a", number))
            assert found in (None, bytes([number]) * 60)
            cache.put(("sess_a", number), bytes([number]) * 60)

    threads = [threading.Thread(target=use, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    held = [cache.get(("sess_a", number)) for number in range(40)]
    assert sum(len(raw) for raw in held if raw) == cache.size <= 1000


def test_the_cache_names_the_highest_bodies_of_a_session():
    cache = Cache(max_bytes=100)
    for number in (3, 1, 2):
        cache.put(("sess_a", number), bytes([number]))
    cache.put(("sess_b", 9), b"other")

    assert cache.newest("sess_a", 2) == {3: b"\x03", 2: b"\x02"}
    assert cache.newest("sess_c", 2) == {}

    cache.forget("sess_a", 3)
    assert cache.newest("sess_a", 2) == {2: b"\x02", 1: b"\x01"}
    cache.forget("sess_a")
    assert cache.newest("sess_a", 2) == {}


def test_what_is_dropped_for_others_is_named_no_more():
    cache = Cache(max_bytes=100)
    cache.put(("sess_a", 1), bytes(30))
    cache.put(("sess_a", 2), bytes(30))

    cache.put(("sess_b", 1), bytes(50))

    assert list(cache.newest("sess_a", 8)) == [2]


def test_an_outline_goes_with_its_body():
    cache, key = Cache(max_bytes=100), ("sess_a", 1)
    made = outline({"a": 1}, b'{"a":1}')
    assert made

    cache.keep_outline(key, made)
    assert cache.outline(key) is None

    cache.put(key, b"raw")
    cache.keep_outline(key, made)
    assert cache.outline(key) == made

    cache.forget("sess_a", 1)
    assert cache.outline(key) is None


def test_the_state_is_shown_where_it_stands():
    raw = bodies.frame(
        [
            Part("messages", JSON, b"[]"),
            Part("state", JSON, b'{"a":1}'),
            Part("note", "text/plain", b"x"),
        ]
    )

    assert bytes(bodies.state_view(raw)) == b'{"a":1}'
    assert bodies.state_view(raw).obj is raw


def test_a_body_without_a_state_shows_none():
    with pytest.raises(CorruptBody):
        bodies.state_view(bodies.frame([Part("note", "text/plain", b"x")]))
