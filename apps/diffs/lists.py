"""Which items of two lists belong together.

Items with an identity key are paired by it, others by equality between anchors that
occur once on both sides (patience) or by the shortest edit where items repeat, and
what is left between by position.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import compress, count, pairwise
from operator import itemgetter, lt, ne
from typing import NamedTuple

from apps.diffs.changes import Json
from apps.diffs.equality import same, same_spelling, spelling
from apps.diffs.sequences import Pair, ascending, shortest_edit

IDENTITY_KEYS = ("id", "key", "tool_call_id", "name")

# Pairs the items of a gap in which nothing is equal; None gives the whole list up.
PairGap = Callable[[list[Json], list[Json]], list[Pair] | None]

Run = tuple[int, int, int]

# More items than this on both sides together are not aligned (8,000 take 10 ms).
LONGEST_WINDOW = 20_000

# Gaps inside gaps: each round needs an anchor, and text that repeats finds none.
_ROUNDS = 6


class Step(NamedTuple):
    """One item of either list, or one pair; None stands for no partner."""

    before: int | None
    after: int | None
    is_moved: bool = False


class Pairing(NamedTuple):
    """Partners as (index in before, index in after), ascending in *after*."""

    pairs: list[Pair]
    moved: frozenset[Pair] = frozenset()
    # Pairs not known to be equal: only these need to be looked into.
    unproven: frozenset[Pair] = frozenset()


def identity_key(items: Sequence[Json]) -> str | None:
    """Give the key by whose value the items of one list can be told apart.

    The first of `IDENTITY_KEYS` that every item has with a string or an integer, no
    value occurring twice.
    """
    return next((key for key in IDENTITY_KEYS if _tells_apart(items, key)), None)


def shared_identity_key(*sides: Sequence[Json]) -> str | None:
    """Give the first key that tells the items apart in each of some lists."""
    for key in IDENTITY_KEYS:
        if all(_tells_apart(items, key) for items in sides):
            return key
    return None


def _tells_apart(items: Sequence[Json], key: str) -> bool:
    if set(map(type, items)) != {dict}:
        return False
    try:
        values = [item[key] for item in items]
    except KeyError:
        return False
    if not set(map(type, values)) <= {str, int}:
        return False
    return len(set(values)) == len(values)


def common_prefix(one: list[Json], other: list[Json]) -> int:
    """Count the equal items at the start, looking once into the first that differs."""
    shorter = min(len(one), len(other))
    equal = next(compress(count(), map(ne, one, other)), shorter)
    if same_spelling(one[:equal], other[:equal]):
        return equal
    return next(i for i in range(equal) if not same(one[i], other[i]))


def common_suffix(one: list[Json], other: list[Json], head: int) -> int:
    """Count the equal items at the end, the item after `head` being another one."""
    shorter = min(len(one), len(other)) - head
    if len(one) == len(other):
        shorter -= 1
    return common_prefix(one[::-1][: max(shorter, 0)], other[::-1][: max(shorter, 0)])


def pair(
    was: list[Json], now: list[Json], key: str | None, gap: PairGap
) -> Pairing | None:
    """Pair the items of a window, by an identity key if there is one."""
    if key:
        return by_identity(was, now, key)
    if len(was) == len(now) == 1:
        return Pairing([(0, 0)], unproven=frozenset({(0, 0)}))
    return by_content(was, now, gap)


def by_position(was: list[Json], now: list[Json]) -> list[Pair]:
    """Pair the items of a gap in order."""
    return [(place, place) for place in range(min(len(was), len(now)))]


def by_identity(one: list[Json], other: list[Json], key: str) -> Pairing:
    """Pair items by an identity key; out of order, the fewest count as moved."""
    places = {item[key]: place for place, item in enumerate(one)}
    pairs = [
        (places[item[key]], place)
        for place, item in enumerate(other)
        if item[key] in places
    ]
    return Pairing(pairs, _moved(pairs), _unequal(pairs, one, other))


def _unequal(pairs: list[Pair], one: list[Json], other: list[Json]) -> frozenset[Pair]:
    """Leave out the pairs of equal items, all at once: each by itself takes longer."""
    alike = [(i, j) for i, j in pairs if one[i] == other[j]]
    if not same_spelling([one[i] for i, _ in alike], [other[j] for _, j in alike]):
        alike = [(i, j) for i, j in alike if same(one[i], other[j])]
    return frozenset(pairs).difference(alike)


def by_content(one: list[Json], other: list[Json], pair_gap: PairGap) -> Pairing | None:
    """Pair equal items in order, and what lies between them as `pair_gap` will."""
    old = [spelling(item) for item in one]
    new = [spelling(item) for item in other]
    pairs: list[Pair] = []
    unproven: list[Pair] = []
    gaps = [(0, len(old), 0, len(new), 0)]
    while gaps:
        low, high, start, end, rounds = gaps.pop()
        anchors = _anchors(old[low:high], new[start:end]) if rounds < _ROUNDS else []
        if not anchors:
            close = pair_gap(one[low:high], other[start:end])
            if close is None:
                return None
            unproven += [(low + i, start + j) for i, j in close]
            continue
        anchors = [(low + i, start + j) for i, j in anchors]
        pairs += anchors
        edges = [(low - 1, start - 1), *anchors, (high, end)]
        gaps += [
            (i + 1, ii, j + 1, jj, rounds + 1)
            for (i, j), (ii, jj) in pairwise(edges)
            if i + 1 < ii and j + 1 < jj
        ]
    every = sorted(pairs + unproven, key=itemgetter(1))
    return Pairing(every, _moved(every), frozenset(unproven))


def _moved(pairs: list[Pair]) -> frozenset[Pair]:
    """Give the fewest pairs that are out of order, most often none."""
    places = [old for old, _ in pairs]
    if all(map(lt, places, places[1:])):
        return frozenset()
    return frozenset(pairs).difference(ascending(pairs))


def _anchors(old: list[bytes], new: list[bytes]) -> list[Pair]:
    """Pair what is equal at both ends, else what occurs once, else what repeats."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if old[~i] != new[~i]), rest)
    ends = [(i, i) for i in range(head)]
    ends += [(len(old) - i, len(new) - i) for i in range(tail, 0, -1)]
    if ends:
        return ends
    once = _places_of_single(old)
    singles = _places_of_single(new)
    anchors = ascending([(once[t], j) for t, j in singles.items() if t in once])
    return anchors or shortest_edit(old, new)


def _places_of_single(texts: list[bytes]) -> dict[bytes, int]:
    counts = Counter(texts)
    return {text: place for place, text in enumerate(texts) if counts[text] == 1}


def steps(pairing: Pairing, head: int, n_old: int, n_new: int) -> Iterator[Step]:
    """Order what may differ (pairs, new items, gone items) as a reader meets it.

    Takes the indexes of a window that begins after `head` items, gives those of the
    lists.
    """
    partner = {new: old for old, new in pairing.pairs}
    moved, unproven = pairing.moved, pairing.unproven
    gone = sorted(set(range(n_old)).difference(partner.values()), reverse=True)
    for new in range(n_new):
        old = partner.get(new)
        if old is None:
            yield Step(None, new + head)
            continue
        one = (old, new)
        is_moved = one in moved
        while gone and not is_moved and gone[-1] < old:
            yield Step(gone.pop() + head, None)
        if is_moved or one in unproven:
            yield Step(old + head, new + head, is_moved)
    yield from (Step(old + head, None) for old in reversed(gone))


def runs(pairing: Pairing, head: int, tail: Run) -> Iterator[Run]:
    """Write pairs that go up together as (start before, start after, length).

    Takes the indexes of a window between `head` equal items and the run at the end.
    """
    old, new, length = 0, 0, head
    window = ((i + head, j + head, 1) for i, j in pairing.pairs)
    for i, j, n in (*window, tail):
        if i == old + length and j == new + length:
            length += n
            continue
        if length:
            yield old, new, length
        old, new, length = i, j, n
    if length:
        yield old, new, length
