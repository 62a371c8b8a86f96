"""Which candidates to look into next, where not all can be. Pure.

First the ends. Where two neighbours that were looked into differ, the one in the middle
tells in which half it turned; where none differ, evenly spaced ones are looked into.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from apps.checks import Outcome

# None: what could not be read.
Seen = Mapping[int, Outcome | None]
# Looks into candidates in this order, as far as the budget goes.
Look = Callable[[Sequence[int]], Seen]

# Into so many parts the first stretch is cut.
PARTS = 16


def survey(known: Seen, look: Look, *, limit: int, newest_first: bool) -> Seen:
    """Look into some candidates between known ones until so many turns are found."""
    seen = dict(known)
    while wanted := next_to_look(seen, limit=limit, newest_first=newest_first):
        found = look(wanted)
        seen.update(found)
        if len(found) < len(wanted):
            break
    return seen


def next_to_look(seen: Seen, *, limit: int, newest_first: bool) -> list[int]:
    """Return the next ones; none when all was looked into, or enough turns are found.

    At most 16 states for one turn among 10,000: two ends, and 14 halves.
    """
    pairs = list(pairwise(sorted(seen)))
    if newest_first:
        pairs.reverse()
    room = limit - sum(b - a == 1 and _differ(seen, a, b) for a, b in pairs)
    open_pairs = [(a, b) for a, b in pairs if b - a > 1]
    if room <= 0 or not open_pairs:
        return []
    differing = [(a, b) for a, b in open_pairs if _differ(seen, a, b)]
    if differing:
        return [(a + b) // 2 for a, b in differing[:room]]
    widest = max(b - a for a, b in open_pairs)
    wide = [(a, b) for a, b in open_pairs if 2 * (b - a) > widest]
    parts = max(2, PARTS // len(wide))
    points = {a + (b - a) * k // parts for a, b in wide for k in range(1, parts)}
    return sorted(points - seen.keys(), reverse=newest_first)


def _differ(seen: Seen, one: int, other: int) -> bool:
    return seen[one] != seen[other]
