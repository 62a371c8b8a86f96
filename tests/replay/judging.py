"""Holds what the product says looks wrong against what is known of recorded runs.

Each run becomes a session with a version for each step; `looks_wrong` is what lists and
the session's page go by. A run failed if its `reward` is below one half, as a score of
that name says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apps.accounts.models import Project
from apps.diffs.flags import Flag
from apps.timeline import operations as timeline
from apps.timeline.bodies.bundles import named_parts
from apps.timeline.models import Session, Version
from apps.timeline.queries import ListRow, read_list_rows
from tests.acts import act_in
from tests.replay import working
from tests.replay.runs import Run
from tests.replay.steps import steps

RULES = {
    Flag.KEYS_LOST: "a top-level key is gone",
    Flag.NULLED: "a value turned null",
    Flag.SHRANK: "the state is half of what it was, or less",
    Flag.REPEATED: "a call failed again as it had failed",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """One run: whether it failed, whether it looks wrong, and by which rules."""

    name: str
    is_failed: bool
    looks_wrong: bool
    rules: frozenset[str]


def judge(runs: Iterable[Run], project: Project) -> list[Judged]:
    """Store the runs in the project, and return how each looks."""
    stored = [(run, _store(run, project)) for run in runs]
    rows = read_list_rows([session_id for _, session_id in stored])
    return [_judged(run, session_id, rows[session_id]) for run, session_id in stored]


def report(judged: Sequence[Judged]) -> str:
    """Say precision and recall, and what each rule found among failed and good runs."""
    failed = [one for one in judged if one.is_failed]
    good = [one for one in judged if not one.is_failed]
    found = [one for one in judged if one.looks_wrong]
    right = [one for one in found if one.is_failed]
    lines = [
        f"{len(judged)} runs, {len(failed)} failed; {len(found)} look wrong",
        f"precision {_ratio(len(right), len(found))}, "
        f"recall {_ratio(len(right), len(failed))}, "
        f"good runs that look wrong {_ratio(len(found) - len(right), len(good))}",
    ]
    for rule, words in RULES.items():
        hits = [one for one in judged if rule in one.rules]
        n_failed = sum(one.is_failed for one in hits)
        lines.append(
            f"  {rule} ({words}): {n_failed} failed, {len(hits) - n_failed} good"
        )
    return "\n".join(lines)


def _store(run: Run, project: Project) -> str:
    state = working.initial()
    session_id = timeline.create(
        act=act_in(project),
        agent="airline-support",
        state=state,
        about=timeline.About(metadata=run.facts),
        step=timeline.Step(),
    ).session_id
    for step in steps(run):
        timeline.replace(
            act=act_in(project),
            session_id=session_id,
            state=step.state,
            parts=named_parts({"messages": step.messages}),
            step=timeline.Step(reasoning=step.reasoning),
        )
    timeline.score(
        act=act_in(project),
        session_id=session_id,
        name="reward",
        value=run.facts["reward"],
    )
    return session_id


def _judged(run: Run, session_id: str, row: ListRow) -> Judged:
    versions = Version.objects.filter(session_id=session_id)
    flags = {flag for one in versions.values_list("flags", flat=True) for flag in one}
    return Judged(
        name=run.name,
        is_failed=Session.objects.get(id=session_id).is_failed,
        looks_wrong=row.looks_wrong,
        rules=frozenset(flags),
    )


def _ratio(part: int, whole: int) -> str:
    if not whole:
        return "none (of 0)"
    return f"{part / whole:.0%} ({part} of {whole})"
