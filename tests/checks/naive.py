"""Evaluate a check the plain way: no budget, nothing shared, values as written text.

It shares the model with what it judges, and nothing else.
"""

import json
from decimal import Context, Decimal
from typing import Any

from apps.checks import model as m

NOTHING = object()
# Sums of what the strategies draw are exact within it.
EXACT = Context(prec=2_000)


def holds(check: Any, state: Any, before: Any = NOTHING) -> bool:
    return _holds(check, {"state": state, "was": before, "item": NOTHING})


def _holds(check: Any, roots: dict[str, Any]) -> bool:
    match check:
        case m.All(checks):
            return all(_holds(one, roots) for one in checks)
        case m.AnyOf(checks):
            return any(_holds(one, roots) for one in checks)
        case m.Not(one):
            return not _holds(one, roots)
        case m.Each(place, one):
            found = at(place, roots)
            return isinstance(found, list) and all(
                _holds(one, roots | {"item": inner}) for inner in found
            )
    return _passes(check, roots)


def _passes(test: Any, roots: dict[str, Any]) -> bool:
    match test:
        case m.Compared(left, comparison, right):
            sides = operand(left, roots), operand(right, roots)
            return compared(sides[0], comparison.value, sides[1])
        case m.Unique(place, of):
            found = listed(place, of, roots)
            if found is None or NOTHING in found:
                return False
            return len({spelt(one) for one in found}) == len(found)
    found = at(test.place, roots)
    match test:
        case m.HasType(_, kind):
            return kind.value in types(found)
        case m.OneOf(_, values):
            is_scalar = found is not NOTHING and not isinstance(found, (list, dict))
            return is_scalar and spelt(found) in [spelt(one) for one in values]
        case m.Contains(_, value):
            if isinstance(found, str):
                return isinstance(value, str) and found.find(value) >= 0
            return isinstance(found, list) and spelt(value) in map(spelt, found)
    assert isinstance(test, m.There)
    return found is not NOTHING


def at(place: m.Place, roots: dict[str, Any]) -> Any:
    return below(roots[place.root.value], place.pointer)


def below(found: Any, pointer: str) -> Any:
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key in map(str, range(len(found))):
            found = found[int(key)]
        else:
            return NOTHING
    return found


def listed(place: m.Place, of: m.Place | None, roots: dict[str, Any]) -> Any:
    found = at(place, roots)
    if not isinstance(found, list):
        return None
    return found if of is None else [below(one, of.pointer) for one in found]


def operand(said: Any, roots: dict[str, Any]) -> Any:
    match said:
        case m.Literal(value):
            return value
        case m.Place():
            return at(said, roots)
        case m.Size(place):
            found = at(place, roots)
            return len(found) if isinstance(found, (str, list, dict)) else NOTHING
    found = listed(said.place, said.of, roots)
    if found is None or not all(map(is_number, found)):
        return NOTHING
    total = Decimal(0)
    for one in found:
        total = EXACT.add(total, written(one))
    return total


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def written(number: Any) -> Decimal:
    return number if isinstance(number, Decimal) else Decimal(repr(number))


def compared(left: Any, comparison: str, right: Any) -> bool:
    if left is NOTHING or right is NOTHING:
        return False
    if comparison == "=":
        return spelt(left) == spelt(right)
    if is_number(left) and is_number(right):
        left, right = written(left), written(right)
    elif not (isinstance(left, str) and isinstance(right, str)):
        return False
    return {
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[comparison]


def spelt(value: Any) -> str:
    """Write a value so that equal ones, and only those, are written alike."""
    if is_number(value):
        found = written(value)
        if found == 0:
            return "0"
        return str(found.normalize(EXACT))
    if isinstance(value, list):
        return f"[{','.join(map(spelt, value))}]"
    if isinstance(value, dict):
        members = sorted(f"{json.dumps(k)}:{spelt(v)}" for k, v in value.items())
        return f"{{{','.join(members)}}}"
    return json.dumps(value)


def types(value: Any) -> set[str]:
    if is_number(value):
        is_whole = written(value) == written(value).to_integral_value()
        return {"number", "integer"} if is_whole else {"number"}
    names = {bool: "boolean", str: "string", list: "array", dict: "object"}
    return {"null"} if value is None else {names.get(type(value), "nothing")}
