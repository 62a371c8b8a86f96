"""Random acts outside, step by step beside the model: begun, asked for, decided.

Each history is a session with a clock of its own. A rule does the same to the product
and to the model; both have to come to the same, and all that is listed has to be as
the model has it. What was done is also done again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.approvals import operations as approvals
from apps.approvals.models import Approval
from apps.approvals.operations import Asked, Said
from apps.approvals.standing import standings
from apps.approvals.words import Expiry, Verdict
from apps.core.actors import SYSTEM, Actor, ActorKind
from apps.core.errors import DomainError
from apps.timeline import operations as timeline
from apps.timeline.models import Compensation, EffectStep, Version
from apps.timeline.queries.effects import effects
from apps.timeline.verification import findings
from apps.timeline.versions.reading import Step
from tests.acts import act_in
from tests.model import effects as model

AGENT = Actor(kind=ActorKind.KEY, id="key_1", label="sb_1")
TOOL = "send_mail"
# Long ago: what verify asks of the true clock is over.
BEGAN = timedelta(days=400)

keys = st.sampled_from(["k1", "k1", "k2", "k3"])
classes = st.sampled_from(["irreversible", "irreversible", "read", "compensable"])
arguments = st.sampled_from([{}, {}, {}, {"to": "ann"}])
statuses = st.sampled_from(["done", "failed", "unknown"])
minutes = st.sampled_from([1, 5, 30, 120])
people = st.sampled_from(["olga", "dana", "ada"])
verdicts = st.sampled_from(["approve", "approve", "approve", "reject"])
places = st.integers(0, 12)
flags = st.booleans()


class Acting(RuleBasedStateMachine):
    def __init__(self, project: Project, users: dict[str, Actor], now: datetime):
        super().__init__()
        self.project = project
        self.actors = {**users, "agent": AGENT, "system": SYSTEM}
        self.model = model.Session(now - BEGAN)
        self.last: Callable[[], None] | None = None

    # -- what is done

    @initialize(value=places)
    def begin_session(self, value: int) -> None:
        self.session_id = timeline.create(
            act=self._act("agent"),
            agent="acting",
            state={"n": value},
            about=timeline.About(),
            step=Step(),
        ).session_id
        self.model.append("create", state={"n": value})

    @rule(value=st.integers(0, 2))
    def update(self, value: int) -> None:
        # Another one: an update that changes nothing makes no new body.
        value = value + 1 if self.model.state == {"n": value} else value
        self._both(
            lambda: self.model.update(value),
            lambda: self._written(
                timeline.update, "agent", "updated", patch={"n": value}
            ),
        )

    @rule()
    def turn_hold(self) -> None:
        verb = "resume" if self.model.hold == "paused" else "pause"
        act = getattr(timeline, verb)
        self._both(
            lambda: self.model.turn_hold(verb),
            lambda: self._written(act, "olga", verb),
        )

    @rule(place=places, by=st.sampled_from(["agent", "olga"]))
    def roll_back(self, place: int, by: str) -> None:
        to = max(0, self.model.head - place)
        self._both(
            lambda: self.model.rollback(to),
            lambda: (
                timeline.rollback(
                    act=self._act(by), session_id=self.session_id, to=to, step=Step()
                ).effects_crossed
            ),
        )

    @rule(
        key=keys,
        cls=classes,
        said=arguments,
        takes_key=flags,
        back=st.sampled_from([-1, 0, 0, 0, 1, 2]),
        lasts=minutes,
    )
    def begin(
        self, key: str, cls: str, said: Any, takes_key: bool, **when: int
    ) -> None:
        number = max(0, self.model.head - when["back"])
        lasts = timedelta(minutes=when["lasts"])
        known = self.model.effects.get(key)
        if known is not None and said == {}:
            cls, said = known.cls, known.arguments
        model_begins = partial(
            self.model.begin,
            *(key, cls, said),
            takes_key=takes_key,
            number=number,
            lasts=lasts,
        )
        effect: dict[str, Any] = {
            "key": key,
            "tool": TOOL,
            "arguments": said,
            "effect_class": cls,
            "takes_provider_key": takes_key,
            "number": number,
        }
        self._both(model_begins, lambda: self._begun(effect, lasts))

    @rule(key=keys, earlier=st.sampled_from([0, 0, 0, 1]), status=statuses)
    def finish(self, key: str, earlier: int, status: str) -> None:
        if key not in self.model.effects:
            return
        attempt = max(1, self.model.effects[key].attempt - earlier)
        effect_id = self._effects()[key].id
        self._both(
            lambda: self.model.finish(key, attempt, status),
            lambda: (
                timeline.finish_effect(
                    act=self._act("agent"),
                    session_id=self.session_id,
                    effect_id=effect_id,
                    attempt=attempt,
                    finish=timeline.Finish(status=status),
                ).status
            ),
        )

    @rule(key=keys, status=st.sampled_from(["done", "failed"]))
    def settle(self, key: str, status: str) -> None:
        if key not in self.model.effects:
            return
        effect_id = self._effects()[key].id
        self._both(
            lambda: self.model.settle(key, status),
            lambda: (
                timeline.settle_effect(
                    act=self._act("olga"),
                    session_id=self.session_id,
                    effect_id=effect_id,
                    status=status,
                    reason="The outbox says so.",
                ).status
            ),
        )

    @rule(
        key=keys,
        said=arguments,
        asker=st.sampled_from(["agent", "agent", "olga"]),
        votes=st.sampled_from([1, 2]),
        depends=flags,
        lives=minutes,
        escalates=flags,
    )
    def ask(self, key: str, said: Any, asker: str, lives: int, **terms: Any) -> None:
        life = timedelta(minutes=lives)
        asked = Asked(
            tool=TOOL,
            arguments=said,
            key=key,
            votes=terms["votes"],
            depends_on=("/n",) if terms["depends"] else (),
            ttl_seconds=int(life.total_seconds()),
            on_expiry=Expiry.ESCALATE if terms["escalates"] else Expiry.REJECT,
        )
        self._both(
            lambda: self.model.ask(key, said, asker=asker, lives=life, **terms),
            lambda: self._asked(asked, asker),
        )

    @rule(key=keys, person=people, verdict=verdicts)
    def vote(self, key: str, person: str, verdict: str) -> None:
        if key not in self.model.approvals:
            return
        approval = Approval.objects.get(session_id=self.session_id, key=key)
        self._both(
            lambda: self.model.vote(key, person, verdict),
            lambda: str(
                approvals.vote(
                    act=self._act(person),
                    approval_id=approval.id,
                    said=Said(verdict=Verdict(verdict)),
                ).outcome
                or "counted"
            ),
        )

    @rule(later=minutes)
    def wait(self, later: int) -> None:
        self.last = None
        self.model.now += timedelta(minutes=later)

    @rule()
    def do_what_time_does(self) -> None:
        self._both(self.model.lapse, self._told_unknown)
        self.model.sweep()
        approvals.sweep(actor=SYSTEM, now=self.model.now)

    @rule()
    def do_it_again(self) -> None:
        """Do what was done last once more: a repetition, or refused as the model is."""
        if self.last is not None:
            self.last()

    # -- what has to hold

    @invariant()
    def all_is_as_the_model_has_it(self) -> None:
        if not self.model.versions:
            return
        now = self.model.now
        shown = {key: one.status for key, one in self._effects().items()}
        assert shown == {k: e.reads(now) for k, e in self.model.effects.items()}
        asked = list(Approval.objects.of_session(self.session_id))
        stand = standings(asked, now=now)
        assert {one.key: str(stand[one.id].status) for one in asked} == {
            key: self.model.status(one) for key, one in self.model.approvals.items()
        }
        assert {one.key: _people_of(stand[one.id].votes) for one in asked} == {
            key: [person for person, _ in one.given]
            for key, one in self.model.approvals.items()
        }
        versions = Version.objects.filter(session_id=self.session_id)
        assert list(versions.order_by("number").values_list("op", flat=True)) == [
            one.op for one in self.model.versions
        ]
        owed = Compensation.objects.filter(session_id=self.session_id).count()
        assert owed == sum(one.is_owed for one in self.model.effects.values())

    def teardown(self) -> None:
        assert list(findings(self.session_id)) == []

    # -- how it is done

    def _act(self, name: str) -> Act:
        return act_in(self.project, self.actors[name], self.model.now)

    def _both(self, expected: Callable[[], Any], really: Callable[[], Any]) -> None:
        """Do it to the model and to the product, which have to come to the same."""

        def do() -> None:
            try:
                comes_to = expected()
            except model.Refused as refused:
                comes_to = str(refused)
            try:
                came_to = really()
            except DomainError as refused:
                came_to = refused.code
            assert came_to == comes_to

        do()
        self.last = do

    def _written(self, act: Callable[..., Any], by: str, word: str, **said: Any) -> str:
        act(act=self._act(by), session_id=self.session_id, step=Step(), **said)
        return word

    def _begun(self, effect: dict[str, Any], lasts: timedelta) -> str:
        wanted = timeline.NewEffect(**effect, deadline=self.model.now + lasts)
        begun = timeline.begin_effect(
            act=self._act("agent"), session_id=self.session_id, effect=wanted
        )
        if begun.approval is not None:
            return "waits"
        return "runs" if begun.run else "done"

    def _asked(self, asked: Asked, asker: str) -> str:
        mine = Approval.objects.of_session(self.session_id)
        is_known = mine.filter(key=asked.key).exists()
        approvals.ask(act=self._act(asker), session_id=self.session_id, asked=asked)
        return "known" if is_known else "asked"

    def _told_unknown(self) -> int:
        """Return how many were told of this session: others have theirs."""
        told = EffectStep.objects.filter(
            session_id=self.session_id, actor_kind=ActorKind.SYSTEM
        )
        before = told.count()
        timeline.tell_unknown_effects(actor=SYSTEM, now=self.model.now)
        return told.count() - before

    def _effects(self) -> dict[str, Any]:
        found = effects(self.session_id, now=self.model.now, limit=100)
        return {one.key: one for one in found}


def _people_of(votes: Any) -> list[str]:
    given = [one for one in votes if one.verdict in ("approve", "reject")]
    return [one.actor_label for one in given]
