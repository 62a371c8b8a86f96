"""The query of the list of agents: what narrows it, and where a page begins."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from apps.agents.models import AgentStatus
from apps.agents.operations import LONGEST_TAG, MOST_TAGS
from apps.agents.querysets import AgentQuerySet
from apps.core import paging
from apps.core.errors import InvalidRequest

LIMIT = 50
MAXIMUM_LIMIT = 1000
# Rows before the offset are read and thrown away: deeper pages go by cursor.
MAXIMUM_OFFSET = 10_000
LONGEST_TAGS = MOST_TAGS * (LONGEST_TAG + 1)

FILTERS = [
    OpenApiParameter(
        "status",
        str,
        enum=AgentStatus.values,
        description="Whether the agent may write; deleted ones are listed so alone.",
    ),
    OpenApiParameter("owner", str, description="Who owns it, spelled alike."),
    OpenApiParameter("team", str, description="Whose it is, spelled alike."),
    OpenApiParameter("tag", str, description="A tag that it has."),
    OpenApiParameter(
        "tags", str, description="Tags that it has, all of them, with commas between."
    ),
    OpenApiParameter(
        "description", str, description="Words in its description, in any case."
    ),
    OpenApiParameter("limit", int, description=f"1 to {MAXIMUM_LIMIT}."),
    OpenApiParameter(
        "starting_after", str, description="The `last_id` of the page before."
    ),
    OpenApiParameter(
        "offset",
        int,
        description=f"0 to {MAXIMUM_OFFSET}; `starting_after` has no limit.",
    ),
]


def narrowed(agents: AgentQuerySet, request: Request) -> AgentQuerySet:
    """Return the agents that the query asks for, of all pages.

    Raises: InvalidRequest.
    """
    return (
        agents.with_status(status_of(request))
        .owned_by(paging.text_of(request, "owner"))
        .of_team(paging.text_of(request, "team"))
        .tagged(tags_of(request))
        .described_by(paging.text_of(request, "description"))
    )


def status_of(request: Request) -> str | None:
    """Raises: InvalidRequest for a status that no agent can have."""
    status = paging.text_of(request, "status")
    if status is not None and status not in AgentStatus.values:
        raise InvalidRequest(
            f"status takes {' or '.join(AgentStatus.values)}.", param="status"
        )
    return status


def tags_of(request: Request) -> list[str]:
    """Raises: InvalidRequest for a tag that no agent can have."""
    said = []
    if (one := paging.text_of(request, "tag")) is not None:
        said.append(_tag("tag", one))
    if (several := paging.text_of(request, "tags", LONGEST_TAGS)) is not None:
        said += [_tag("tags", tag.strip()) for tag in several.split(",")]
    return said


def start_of(request: Request) -> int:
    """Raises: InvalidRequest."""
    offset = paging.integer_of(request, "offset", minimum=0, maximum=MAXIMUM_OFFSET)
    return offset or 0


def _tag(name: str, text: str) -> str:
    if not 0 < len(text) <= LONGEST_TAG:
        raise InvalidRequest(
            f"{name} takes tags of 1 to {LONGEST_TAG} characters.", param=name
        )
    return text
