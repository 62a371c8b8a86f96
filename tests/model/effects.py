"""Effects and approvals of one session as a plain program in memory.

Written from the contract, sharing no code with the product. An act changes the model
and returns what it comes to, in a word, or raises Refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

ADMIN, OPERATORS = "ada", ("olga", "dana")
ASK_AGAIN = ("read",)


class Refused(Exception):
    """It must be refused with this code."""


@dataclass(frozen=True)
class Version:
    op: str
    state: dict[str, Any]
    hold: str
    restored: int | None = None


@dataclass
class Effect:
    """What its last step says is what it is; `said` are the reports of an attempt."""

    key: str
    cls: str
    arguments: dict[str, Any]
    takes_key: bool
    status: str = "begun"
    attempt: int = 1
    head: int = 0
    deadline: datetime | None = None
    said: set[tuple[int, str]] = field(default_factory=set)
    is_owed: bool = False

    def reads(self, now: datetime) -> str:
        assert self.deadline
        is_over = self.status == "begun" and self.deadline <= now
        return "unknown" if is_over else self.status


@dataclass
class Approval:
    key: str
    arguments: dict[str, Any]
    number: int
    asker: str
    votes: int
    depends: bool
    value: Any
    asked_at: datetime
    expires_at: datetime
    escalates: bool
    due_at: datetime
    given: list[tuple[str, str]] = field(default_factory=list)
    outcome: str | None = None
    decided: int = -1
    # Void when its time was over: it reads as expired if a rollback brings it back, and
    # nobody looks at it any more.
    is_left: bool = False

    @property
    def ends_at(self) -> datetime:
        later = self.expires_at - self.asked_at if self.escalates else timedelta()
        return self.expires_at + later

    def is_escalated(self, now: datetime) -> bool:
        return self.escalates and now >= self.expires_at


@dataclass
class Session:
    now: datetime
    versions: list[Version] = field(default_factory=list)
    effects: dict[str, Effect] = field(default_factory=dict)
    approvals: dict[str, Approval] = field(default_factory=dict)

    # -- versions

    @property
    def head(self) -> int:
        return len(self.versions) - 1

    @property
    def state(self) -> dict[str, Any]:
        return self.versions[-1].state

    @property
    def hold(self) -> str:
        return self.versions[-1].hold if self.versions else "open"

    def append(self, op: str, **fields: Any) -> None:
        fields.setdefault("state", self.state if self.versions else {})
        fields.setdefault("hold", self.hold)
        self.versions.append(Version(op, **fields))

    def path(self, number: int) -> list[int]:
        """Return the versions that led to what this one shows, and itself."""
        found = []
        while number >= 0:
            found.append(number)
            restored = self.versions[number].restored
            number = number - 1 if restored is None else restored
        return found[::-1]

    def made(self, number: int) -> int:
        """Return the version that made the state which this one shows."""
        version = self.versions[number]
        if version.restored is not None:
            return self.made(version.restored)
        return number if version.op in ("create", "update") else self.made(number - 1)

    def known(self, number: int) -> set[int]:
        """Return on which versions others were stored on the way to this one."""
        way = self.path(number)
        return {
            before
            for before, after in pairwise(way)
            if self.versions[after].restored is None
        }

    def require_writable(self, refused: tuple[str, ...]) -> None:
        if self.hold in refused:
            raise Refused(f"session_{self.hold}")

    def update(self, value: int) -> str:
        self.require_writable(("paused", "closed"))
        self.append("update", state={"n": value})
        return "updated"

    def turn_hold(self, verb: str) -> str:
        """Pause or resume."""
        if (verb == "pause") == (self.hold == "paused"):
            raise Refused("already_paused" if verb == "pause" else "not_paused")
        self.append(verb, hold="paused" if verb == "pause" else "open")
        return verb

    def rollback(self, to: int) -> int:
        """Return how many effects it crosses."""
        if to == self.head:
            raise Refused("nothing_to_roll_back")
        may_know = self.known(self.head) | {self.head}
        aside = may_know - self.known(self.made(to))
        crossed = [
            one
            for one in self.effects.values()
            if one.head in aside
            and one.status != "failed"
            and one.cls != "read"
            and not one.is_owed
        ]
        for one in crossed:
            one.is_owed = True
        self.append("rollback", state=self.versions[to].state, restored=to)
        return len(crossed)

    # -- effects

    def begin(
        self,
        key: str,
        cls: str,
        arguments: dict[str, Any],
        *,
        takes_key: bool,
        number: int,
        lasts: timedelta,
    ) -> str:
        effect = self.effects.get(key)
        if effect is not None:
            self._require_again(effect, cls, arguments)
            if effect.status == "done":
                return "done"
        self.require_writable(("paused", "closed"))
        self._require_live(number)
        if key in self.approvals and self._waits(self.approvals[key], arguments):
            return "waits"
        if effect is None:
            effect = Effect(key, cls, arguments, takes_key, attempt=0)
            self.effects[key] = effect
        effect.attempt += 1
        effect.deadline = self.now + lasts
        self._step(effect, "begun")
        return "runs"

    def _require_live(self, number: int) -> None:
        if number > self.head:
            raise Refused("version_not_found")
        if number not in self.path(self.head):
            raise Refused("version_set_aside")

    def _waits(self, asked: Approval, arguments: dict[str, Any]) -> bool:
        """Say whether people have still to decide; once allowed, this may begin."""
        status = self.status(asked)
        if status == "pending":
            return True
        if status != "approved":
            raise Refused("approval_closed")
        if asked.arguments != arguments:
            raise Refused("unacceptable_arguments")
        if self._is_outdated(asked):
            raise Refused("approval_outdated")
        return False

    def _require_again(
        self, effect: Effect, cls: str, arguments: dict[str, Any]
    ) -> None:
        if (effect.cls, effect.arguments) != (cls, arguments):
            raise Refused("effect_differs")
        status = effect.reads(self.now)
        if status == "begun":
            raise Refused("effect_in_progress")
        if status == "unknown" and cls not in ASK_AGAIN and not effect.takes_key:
            raise Refused("effect_unknown")

    def _step(self, effect: Effect, status: str) -> None:
        effect.status, effect.head = status, self.head

    def finish(self, key: str, attempt: int, status: str) -> str:
        effect = self.effects[key]
        if (attempt, status) in effect.said:
            return effect.reads(self.now)
        if attempt != effect.attempt:
            raise Refused("effect_attempt")
        if effect.status in ("done", "failed") or effect.status == status:
            raise Refused("effect_finished")
        effect.said.add((attempt, status))
        self._step(effect, status)
        return status

    def settle(self, key: str, status: str) -> str:
        effect = self.effects[key]
        if effect.reads(self.now) != "unknown":
            raise Refused("effect_not_unknown")
        effect.said.add((effect.attempt, status))
        self._step(effect, status)
        return status

    def lapse(self) -> int:
        """Return how many are told as unknown."""
        over = [
            one
            for one in self.effects.values()
            if one.status == "begun" and one.reads(self.now) == "unknown"
        ]
        for one in over:
            self._step(one, "unknown")
        return len(over)

    # -- approvals

    def ask(
        self,
        key: str,
        arguments: dict[str, Any],
        *,
        asker: str,
        votes: int,
        depends: bool,
        lives: timedelta,
        escalates: bool,
    ) -> str:
        known = self.approvals.get(key)
        if known is not None:
            if known.arguments != arguments:
                raise Refused("idempotency_key_reused")
            return "known"
        self.require_writable(("paused", "closed") if asker == "agent" else ("closed",))
        self.append("wait")
        self.approvals[key] = Approval(
            key=key,
            arguments=arguments,
            number=self.head,
            asker=asker,
            votes=votes,
            depends=depends,
            value=self.state.get("n"),
            asked_at=self.now,
            expires_at=self.now + lives,
            due_at=self.now + lives,
            escalates=escalates,
        )
        return "asked"

    def status(self, one: Approval) -> str:
        live = self.path(self.head)
        if one.outcome is not None:
            is_live = one.number in live and one.decided in live
            is_void = one.outcome == "approved" and not is_live
            return "voided" if is_void else one.outcome
        if one.number not in live:
            return "voided"
        return "expired" if self.now >= one.ends_at else "pending"

    def _is_outdated(self, one: Approval) -> bool:
        return one.depends and self.state.get("n") != one.value

    def vote(self, key: str, person: str, verdict: str) -> str:
        one = self.approvals[key]
        if one.is_escalated(self.now) and person != ADMIN:
            raise Refused("permission_denied")
        status = self.status(one)
        if person in {voter for voter, _ in one.given}:
            raise Refused("already_voted")
        if status in ("approved", "rejected"):
            one.given.append((person, "late"))
        if status != "pending":
            raise Refused("approval_closed")
        if verdict == "approve":
            self._require_approvable(one, person)
        one.given.append((person, verdict))
        agreed = [
            voter
            for voter, said in one.given
            if said == "approve" and (voter == ADMIN or not one.is_escalated(self.now))
        ]
        if verdict == "reject":
            self._end(one, "rejected")
        elif len(agreed) >= one.votes:
            self._end(one, "approved")
        return one.outcome or "counted"

    def _require_approvable(self, one: Approval, person: str) -> None:
        if one.votes == 2 and one.asker == person:
            raise Refused("permission_denied")
        if self._is_outdated(one):
            raise Refused("approval_outdated")

    def _end(self, one: Approval, outcome: str) -> None:
        self.append("decide")
        one.outcome, one.decided = outcome, self.head

    def sweep(self) -> None:
        due = [
            one
            for one in self.approvals.values()
            if one.outcome is None and one.due_at <= self.now and not one.is_left
        ]
        for one in sorted(due, key=lambda one: one.due_at):
            if self.status(one) == "expired":
                self._end(one, "expired")
            else:
                one.is_left = self.now >= one.ends_at
                one.due_at = one.ends_at
