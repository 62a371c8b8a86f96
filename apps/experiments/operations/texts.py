"""What people write on experiments, held to its bounds."""

from __future__ import annotations

from collections.abc import Sequence

from apps.checks import CheckRefused, names_before, read_text, write_text
from apps.core.errors import InvalidRequest
from apps.experiments.errors import UnacceptableExperiment
from apps.experiments.words import LONGEST_NAME, MOST_CHECKS
from apps.timeline.bisect import tells_hidden


def name_of(said: str) -> str:
    """Raises: UnacceptableExperiment."""
    name = said.strip()
    if not name or len(name) > LONGEST_NAME or "\0" in name:
        raise UnacceptableExperiment(
            f"name takes 1 to {LONGEST_NAME} characters, none of them NUL.",
            param="name",
        )
    return name


def checks_of(said: Sequence[str]) -> list[str]:
    """Return checks as they are written, each once.

    Raises: UnacceptableExperiment, InvalidRequest with the place of what is wrong.
    """
    if len(said) > MOST_CHECKS:
        raise UnacceptableExperiment(
            f"checks takes at most {MOST_CHECKS}.", param="checks"
        )
    return list(dict.fromkeys(_check_of(one, at) for at, one in enumerate(said)))


def _check_of(said: str, at: int) -> str:
    param = f"checks/{at}"
    try:
        check = read_text(said)
    except CheckRefused as refused:
        facts = {"position": refused.where.position, "suggestion": refused.suggestion}
        known = {name: fact for name, fact in facts.items() if fact is not None}
        raise InvalidRequest(refused.sentence, param=param, **known) from None
    if names_before(check):
        raise UnacceptableExperiment(
            "These checks look at one state each, and was. means another.", param=param
        )
    if tells_hidden(check):
        raise UnacceptableExperiment(
            "This check would tell what masks cover.", param=param
        )
    return write_text(check)
