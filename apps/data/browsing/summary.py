"""Say what an agent keeps, what it may do, and what was done lately."""

from __future__ import annotations

from dataclasses import dataclass

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.data.audit.looking import CHANGES, Recent, recent
from apps.data.documents.configs import ConfigVersion
from apps.data.documents.enforcing import Rules, standing_config
from apps.data.operations.configuring import read_config
from apps.timeline import queries
from apps.timeline.operations import Document
from apps.timeline.queries import Standing

NEWEST = 10
# Reads are passed over among so many records.
LOOKED_AT = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """An agent's data as a whole, the rules that stand, and the newest changes."""

    agent: Agent
    # None where it keeps nothing yet.
    standing: Standing | None
    config: ConfigVersion
    rules: Rules
    changes: Recent


def summarize(*, act: Act, reference: str) -> Summary:
    """Return what an agent keeps and may do; who looks has read its config.

    Raises: AgentNotFound.
    """
    shown = read_config(act=act, reference=reference)
    document = Document.of_agent(act.project, shown.agent.id)
    return Summary(
        agent=shown.agent,
        standing=queries.standing(document.id, now=act.now),
        config=shown.version,
        rules=standing_config(document, now=act.now).rules,
        changes=recent(
            shown.agent.id, operations=CHANGES, limit=NEWEST, most=LOOKED_AT
        ),
    )
