"""The days of a policy, and what they must be like."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta

from apps.core import json
from apps.retention.errors import UnacceptablePolicy
from apps.retention.words import Step

# With headers go the keys of requests, under which an answer that was lost is asked
# for again: sooner than this nothing goes that has them.
HEADERS_STAY_DAYS = 7
LONGEST_DAYS = 36_500
MOST_KEPT = 1_000_000
# In the order in which more goes; a later one must not come before an earlier one.
STEPS = {step: f"{step.value}_days" for step in Step}
WITH_HEADERS = ("prune_days", "remove_days", "ended_days")


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """After how many days what goes; None is never.

    `ended_days` is for sessions that were deleted or expired; `keep_last` of the
    newest versions of a session stay, whatever their age.
    """

    thin_days: int | None = None
    archive_days: int | None = None
    empty_days: int | None = None
    prune_days: int | None = None
    remove_days: int | None = None
    ended_days: int | None = None
    keep_last: int = 1

    def require(self) -> None:
        """Refuse what would remove too soon, or nothing at all.

        Raises: UnacceptablePolicy, with the field.
        """
        days = {name: n for name, n in asdict(self).items() if name != "keep_last"}
        given = {name: n for name, n in days.items() if n is not None}
        if not given:
            raise UnacceptablePolicy(
                "Say after how many days something goes.", param="empty_days"
            )
        for name, n in given.items():
            _require_days(name, n)
        self._require_order()
        if not 1 <= self.keep_last <= MOST_KEPT:
            raise UnacceptablePolicy(
                f"keep_last takes 1 to {MOST_KEPT:,}: the head always stays.",
                param="keep_last",
            )

    def _require_order(self) -> None:
        """Refuse a step that comes before one by which less goes."""
        before: tuple[str, int] | None = None
        for name, n in self.steps():
            if before is not None and n < before[1]:
                raise UnacceptablePolicy(
                    f"{name} comes before {before[0]}: what goes after {n} days "
                    f"cannot wait for {before[1]}.",
                    param=name,
                )
            before = name, n

    def steps(self) -> Iterator[tuple[str, int]]:
        """Yield the steps that are asked for, in their order."""
        for name in STEPS.values():
            n = getattr(self, name)
            if n is not None:
                yield name, n

    def after(self, step: Step) -> timedelta | None:
        """Return the age at which a step is due; None is never."""
        days = getattr(self, STEPS[step])
        return None if days is None else timedelta(days=days)

    @property
    def ended_after(self) -> timedelta | None:
        """Return how long ago a session must have ended for it to go."""
        return None if self.ended_days is None else timedelta(days=self.ended_days)

    def digest(self, project_id: str, agent_id: str | None) -> str:
        """Return SHA-256 of what it says and of whom, in hex."""
        said = {"project": project_id, "agent": agent_id, **asdict(self)}
        return hashlib.sha256(json.dumps(dict(sorted(said.items())))).hexdigest()


def _require_days(name: str, n: int) -> None:
    """Raises: UnacceptablePolicy."""
    least = HEADERS_STAY_DAYS if name in WITH_HEADERS else 1
    if least <= n <= LONGEST_DAYS:
        return
    why = (
        "; the idempotency keys of requests go with it" if least > 1 and n >= 1 else ""
    )
    raise UnacceptablePolicy(
        f"{name} takes {least} to {LONGEST_DAYS:,} days{why}.", param=name
    )
