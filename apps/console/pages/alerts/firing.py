"""Alert rules that fire, as pages name them where people look first."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.metrics.models import Rule

# The page of alerts has all of them.
RULES_SHOWN = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Firing:
    """A rule that fires; of one agent or release its name says which."""

    rule: Rule
    name: str


def firing(project: Project) -> list[Firing]:
    """Return rules that fire, not more than a page has room for at its head."""
    rules = list(Rule.objects.of_project(project.id).firing()[:RULES_SHOWN])
    agents = _agents(project, rules)
    return [
        Firing(rule=rule, name=_name(rule, agents.get(rule.agent_id or "")))
        for rule in rules
    ]


def _agents(project: Project, rules: Sequence[Rule]) -> dict[str, str]:
    ids = {rule.agent_id for rule in rules if rule.agent_id}
    if not ids:
        return {}
    known = Agent.objects.of_project(project.id).filter(id__in=ids)
    return dict(known.values_list("id", "external_id"))


def _name(rule: Rule, agent: str | None) -> str:
    whose = " ".join(one for one in (agent, rule.release) if one)
    return f"{whose}: {rule.name}" if rule.parent_id and whose else rule.name
