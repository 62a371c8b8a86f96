"""The pages of plans: what will be done, how far it is, what came of each session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.accounts.models import Project
from apps.console import queries
from apps.console.pages.project import session_rows
from apps.diffs.text import visible
from apps.incidents.seeing import hides_check
from apps.plans.cases import CASES, Case
from apps.plans.models import Item, ItemState, Plan, Verdict
from apps.timeline.masking import HIDDEN
from apps.timeline.models import Session

PAGE = 100
# What needs a look stands first; of what is planned, what it overrules.
ORDER = [
    *(ItemState.FAILED, ItemState.REFUSED, ItemState.MOVED, ItemState.UNPICKED),
    *(ItemState.LEFT_OUT, ItemState.PLANNED, ItemState.UNSEEN, ItemState.STOPPED),
    *(ItemState.UNDONE, ItemState.DONE),
]
# What is counted beside the states that always are, where there is any.
MORE = {
    ItemState.MOVED: "Moved on",
    ItemState.REFUSED: "Refused",
    ItemState.UNPICKED: "Not picked",
    ItemState.STOPPED: "Stopped",
    ItemState.UNDONE: "Undone",
    ItemState.UNSEEN: "Not looked at",
}
VERDICTS = {
    Verdict.CLEAN: "Clean",
    Verdict.LOOK: "Need a look",
    Verdict.BLOCKED: "Blocked",
}
WHITHER = {
    "check": "before the first version in which this does not hold",
    "before": "the last version before",
    "release": "the last version of release",
    "label": "the last version labelled",
    "versions": "versions that were named one by one",
    "first_bad": "before the first bad version that the incident has found",
}


STATES = {
    "unpicked": "not picked",
    "left_out": "left out",
    "moved": "moved on",
}
OUTSIDE = {
    "effects": "effect",
    "later_turns": "later customer turn",
    "forks": "fork",
    "labels": "label",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemRow:
    """One session of a plan; `session` is None where there is none."""

    item: Item
    session: Session | None
    title: str

    @property
    def comes_back(self) -> str:
        """Say in numbers what a rollback changes."""
        about = self.item.about or {}
        if not about:
            return ""
        changes, versions = about["changes"], about["set_aside"]
        return f"{_n(changes, 'change')}, {_n(versions, 'version')} set aside"

    @property
    def outside(self) -> str:
        """Say in numbers what stays outside of what a rollback takes back."""
        about = self.item.about or {}
        told = [
            _n(about[name], words) for name, words in OUTSIDE.items() if about.get(name)
        ]
        return ", ".join(told)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanPage:
    """A plan as its page shows it; `after` is where the next rows begin."""

    plan: Plan
    case: Case
    counts: Mapping[str, int]
    verdicts: Mapping[str, int]
    reasons: Sequence[tuple[str, str, int]]
    # How many of those that are picked go behind what cannot be undone.
    n_grave: int
    # Of how many that are planned the dry run noticed something.
    n_noticed: int
    rows: Sequence[ItemRow]
    after: int | None

    @property
    def n_all(self) -> int:
        return sum(self.counts.values())

    @property
    def n_planned(self) -> int:
        return self.counts.get(ItemState.PLANNED, 0)

    @property
    def n_done(self) -> int:
        return self.counts.get(ItemState.DONE, 0)

    @property
    def n_failed(self) -> int:
        return self.counts.get(ItemState.FAILED, 0)

    @property
    def n_left_out(self) -> int:
        return self.counts.get(ItemState.LEFT_OUT, 0)

    @property
    def n_unseen(self) -> int:
        return self.counts.get(ItemState.UNSEEN, 0)

    @property
    def n_over(self) -> int:
        """How many no longer wait, of those that were not left out from the start."""
        over = (ItemState.MOVED, ItemState.REFUSED, ItemState.STOPPED, ItemState.UNDONE)
        more = sum(self.counts.get(state, 0) for state in over)
        return self.n_done + self.n_failed + more

    @property
    def is_judged(self) -> bool:
        return self.case.judge is not None

    @property
    def is_live(self) -> bool:
        """Whether the worker is on it, so that what is shown changes by itself."""
        return self.plan.is_running or self.plan.is_looking

    @property
    def tiles(self) -> list[tuple[str, int]]:
        """What is counted: outcomes, and of a draft how sessions are judged."""
        plan, tiles = self.plan, []
        is_first = plan.is_draft or plan.is_looking
        if self.is_judged and is_first:
            tiles += [(VERDICTS[one], self.verdicts.get(one, 0)) for one in VERDICTS]
        if not is_first:
            tiles += [("Done", self.n_done), ("Failed", self.n_failed)]
        if not plan.is_finished:
            words = "Will be done" if is_first else "Waiting"
            tiles.append((words, self.n_planned))
        if not (self.is_judged and is_first):
            tiles.append(("Left out", self.n_left_out))
        found = [(words, self.counts.get(one, 0)) for one, words in MORE.items()]
        return tiles + [one for one in found if one[1]]

    @property
    def whither(self) -> tuple[str, str] | None:
        """Say to which version each session goes, and by what it was found."""
        rule = self.plan.params.get("rule")
        if rule is None:
            return None
        found = str(self.plan.params.get(rule, ""))
        # What a check says at a masked place tells what stands there.
        is_hidden = rule == "check" and hides_check(found)
        return WHITHER[rule], HIDDEN if is_hidden else found

    @property
    def whys(self) -> list[tuple[str, str, int]]:
        """Why sessions are not done, or need a look: state, reason, how many."""
        return [
            (STATES.get(state, state), code.replace("_", " "), n)
            for state, code, n in self.reasons
        ]

    @property
    def n_to_do(self) -> int:
        return self.n_over + self.n_planned

    @property
    def asks(self) -> str:
        return _said(self.case.asks, self.plan, self.n_planned)

    @property
    def headline(self) -> str:
        """Answer in a sentence how things stand."""
        if self.plan.is_looking:
            return f"Looking at {_n(self.n_all, 'session')}"
        if self.plan.is_draft:
            return f"{self.asks}?" if self.n_planned else "Nothing can be done"
        if self.plan.is_running or self.plan.is_paused:
            said = _said(self.case.doing, self.plan, self.n_to_do)
            return (
                f"Paused: {said[:1].lower()}{said[1:]}" if self.plan.is_paused else said
            )
        said = _said(self.case.did, self.plan, self.n_done)
        return said[:1].upper() + said[1:]

    @property
    def asks_why(self) -> bool:
        return asks_why(self.plan)

    @property
    def is_undoable(self) -> bool:
        return bool(
            self.plan.is_finished and self.n_done and self.case.inverse is not None
        )

    @property
    def is_exported(self) -> bool:
        is_over = self.plan.is_finished and self.n_done > 0
        return is_over and self.plan.kind == "export"


def asks_why(plan: Plan) -> bool:
    """Return whether who confirms it has to say why; an undo takes back a resume."""
    is_first = plan.is_draft and plan.undo_of_id is None
    return is_first and CASES[plan.kind].stops


def headline(plan: Plan) -> str:
    """Return what a plan is about, for the list of plans."""
    counts = sum(getattr(plan, f"n_{state}") for state in ItemState.values)
    return _said(CASES[plan.kind].asks, plan, counts)


def _n(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _said(sentence: str, plan: Plan, n: int) -> str:
    sessions = _n(n, "session")
    params = {name: visible(str(value)) for name, value in plan.params.items()}
    return sentence.format(sessions=sessions, **params)


def plan_page(plan: Plan, *, after: int) -> PlanPage:
    """Return the page of a plan, with a hundred of its sessions."""
    mine = Item.objects.of_plan(plan.id)
    planned = mine.in_state(ItemState.PLANNED)
    shown = list(mine.as_shown(ORDER)[after : after + PAGE + 1])
    return PlanPage(
        plan=plan,
        case=CASES[plan.kind],
        counts=mine.counts(),
        verdicts=mine.verdicts(),
        reasons=mine.reasons(),
        n_grave=planned.filter(about__grave=1).count(),
        n_noticed=planned.exclude(words="").count(),
        rows=_rows(plan.project, shown[:PAGE]),
        after=after + PAGE if len(shown) > PAGE else None,
    )


def _rows(project: Project, items: Sequence[Item]) -> list[ItemRow]:
    known = queries.in_bulk(project, [item.session_id for item in items])
    named = session_rows.titles_of(list(known))
    return [
        ItemRow(
            item=item,
            session=known.get(item.session_id),
            title=named.get(item.session_id, item.session_id),
        )
        for item in items
    ]
