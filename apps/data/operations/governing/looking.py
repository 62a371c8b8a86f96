"""Read exceptions from an agent's policies: prefixes of keys stand in them."""

from __future__ import annotations

from dataclasses import dataclass

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit.streams import Operation
from apps.core.errors import InvalidRequest
from apps.data.covered import EXCEPTION
from apps.data.errors import ExceptionNotFound
from apps.data.models import PolicyException
from apps.data.operations.governing.exceptions import AgentException
from apps.data.operations.recording import found, record_unless_off, told


@dataclass(frozen=True, kw_only=True, slots=True)
class ExceptionPage:
    """An agent's exceptions, the newest first."""

    agent: Agent
    exceptions: list[PolicyException]


def list_exceptions(
    *, act: Act, reference: str, before: str | None = None, limit: int
) -> ExceptionPage:
    """Return an agent's exceptions, also those that hold no more, newest first.

    Raises: AgentNotFound; InvalidRequest where there is no exception `before`.
    """
    agent, document = found(act, reference)
    mine = PolicyException.objects.of(document.id)
    page = mine.newest_first()
    if before is not None:
        if not mine.filter(id=before).exists():
            raise InvalidRequest(
                "starting_after takes the last_id of a page.", param="starting_after"
            )
        page = page.filter(id__lt=before)
    exceptions = list(page[:limit])
    record_unless_off(
        act, document, told(Operation.DATA_LIST, "", resource_type=EXCEPTION.kind)
    )
    return ExceptionPage(agent=agent, exceptions=exceptions)


def read_exception(*, act: Act, reference: str, exception_id: str) -> AgentException:
    """Return an exception from an agent's policies.

    Raises: AgentNotFound, ExceptionNotFound.
    """
    agent, document = found(act, reference)
    one = PolicyException.objects.of(document.id).filter(id=exception_id).first()
    if one is None:
        raise ExceptionNotFound(param="exception_id")
    record_unless_off(
        act, document, told(Operation.DATA_READ, one.id, resource_type=EXCEPTION.kind)
    )
    return AgentException(agent=agent, exception=one)
