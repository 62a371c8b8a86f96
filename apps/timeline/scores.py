"""Scores of a session: their names and values, comparisons, and which mean failure.

A score is a finite number under a name, given by an agent, an evaluator or a test run;
the newest of a name counts. `success` and `reward` say by convention how a run ended:
below one half it failed, unless a person's review says otherwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from apps.core.errors import InvalidRequest
from apps.timeline.words import Outcome

MAX_NAME = 100
# So many names a session has: they stand in its row, for lists.
MOST_NAMES = 50
OPERATORS = ("<=", ">=", "<", ">", "=")
TELLING = ("success", "reward")
PASSES_FROM = 0.5
_COMPARISON = re.compile(r"([^<>=]+)(?:(<=|>=|<|>|=)(.*))?", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
LONGEST_NUMBER = 400


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreFilter:
    """Which score is asked for, and how it compares; without an operator, any value."""

    name: str
    operator: str | None = None
    value: float | None = None

    def __str__(self) -> str:
        value = "" if self.value is None else repr(self.value)
        return f"{self.name}{self.operator or ''}{value}"


def require_name(name: str, *, param: str = "name") -> None:
    """Raises: InvalidRequest for what names no score, or could not be asked for."""
    if len(name) > MAX_NAME:
        message = f"{param} may have at most {MAX_NAME} characters."
        raise InvalidRequest(message, param=param)
    if not name.strip() or name != name.strip() or not name.isprintable():
        message = "A score's name is printable text without spaces around it."
        raise InvalidRequest(message, param=param)
    if any(sign in name for sign in '<>=!"'):
        message = "A score's name has none of < > = ! \", by which scores are compared."
        raise InvalidRequest(message, param=param)


def finite(value: float) -> float:
    """Return the value as it is stored; there is one zero.

    Raises: InvalidRequest for what is no finite number.
    """
    try:
        number = float(value) + 0.0
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidRequest("A score is a finite number.", param="value")
    return number


def score_filter(text: str, *, param: str = "score") -> ScoreFilter:
    """Read a comparison such as `helpfulness>=0.5`, or the name of a score alone.

    Raises: InvalidRequest saying what is wrong with it.
    """
    found = _COMPARISON.fullmatch(text)
    if found is None:
        message = f"{param} takes a name, or one compared: reward<0.5."
        raise InvalidRequest(message, param=param)
    name, operator, number = found[1].strip(), found[2], (found[3] or "").strip()
    require_name(name, param=param)
    if operator is None:
        return ScoreFilter(name=name)
    if len(number) > LONGEST_NUMBER or not _NUMBER.fullmatch(number):
        message = f"{param}: after {operator} there has to be a number, as in 0.5."
        raise InvalidRequest(message, param=param)
    value = float(number)
    if not math.isfinite(value):
        raise InvalidRequest(f"{param}: this number is too large.", param=param)
    return ScoreFilter(name=name, operator=operator, value=value + 0.0)


def says_failed(review: str | None, scores: Mapping[str, float]) -> bool:
    """Say whether a session failed, as far as anybody said how it went."""
    if review is not None:
        return review == Outcome.FAILED
    return any(scores.get(name, PASSES_FROM) < PASSES_FROM for name in TELLING)
