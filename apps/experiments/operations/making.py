"""Beginning an experiment: forks of one version, named together."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core.ids import new_id
from apps.experiments.errors import UnacceptableExperiment
from apps.experiments.models import Experiment, Variant
from apps.experiments.operations.recording import record
from apps.experiments.operations.texts import checks_of, name_of
from apps.experiments.words import FEWEST_VARIANTS, MOST_VARIANTS
from apps.timeline.errors import NotAFork, SessionNotFound
from apps.timeline.models import Session


@transaction.atomic
def make(
    *, act: Act, name: str, session_ids: Sequence[str], checks: Sequence[str] = ()
) -> Experiment:
    """Keep two to six forks of one version together, with the checks that decide.

    Raises: UnacceptableExperiment, SessionNotFound for one that whoever acts does not
    see, NotAFork for one of another version, InvalidRequest for a check that is not
    understood.
    """
    title, texts = name_of(name), checks_of(checks)
    forks = _forks(act, session_ids)
    origin_id, number = forks[0].origin_session_id, forks[0].origin_number or 0
    experiment = Experiment.objects.create(
        id=new_id("expt", now=act.now),
        project=act.project,
        name=title,
        session_id=origin_id,
        number=number,
        checks=texts,
        made_by_kind=act.actor.kind.value,
        made_by_id=act.actor.id,
        made_by_label=act.actor.label,
        created_at=act.now,
    )
    Variant.objects.bulk_create(
        Variant(
            project_id=act.project_id,
            experiment=experiment,
            session_id=fork.id,
            agent_id=fork.agent_id,
            position=position,
        )
        for position, fork in enumerate(forks)
    )
    told = {"session_id": origin_id, "version": number, "variants": len(forks)}
    record(Action.EXPERIMENT_MADE, experiment, act, told | {"checks": len(texts)})
    return experiment


def _forks(act: Act, session_ids: Sequence[str]) -> list[Session]:
    """Return the forks in the order in which they were named."""
    ids = list(dict.fromkeys(session_ids))
    if not FEWEST_VARIANTS <= len(ids) <= MOST_VARIANTS:
        raise UnacceptableExperiment(
            f"sessions takes {FEWEST_VARIANTS} to {MOST_VARIANTS} forks.",
            param="sessions",
        )
    seen = Session.objects.of_project(act.project_id).of_agents(act.scope.agents)
    named = seen.alive(now=act.now).filter(id__in=ids)
    found = {one.id: one for one in named[:MOST_VARIANTS]}
    for id in ids:
        if id not in found:
            raise SessionNotFound(f"There is no session {id[:40]}.", param="sessions")
    forks = [found[id] for id in ids]
    first = forks[0]
    for fork in forks:
        if fork.origin_session_id is None:
            raise NotAFork(f"{fork.id} is no fork.", param="sessions")
        if (fork.origin_session_id, fork.origin_number) != (
            first.origin_session_id,
            first.origin_number,
        ):
            raise NotAFork(
                f"{fork.id} is a fork of another version than {first.id}.",
                param="sessions",
            )
    return forks
