"""Look at an agent's config: its versions, and one of them beside what stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit.streams import Operation
from apps.core.errors import DomainError
from apps.data.documents import configs
from apps.data.documents.configs import ConfigVersion
from apps.data.documents.enforcing import Rules
from apps.data.documents.values import kept_in
from apps.data.operations.recording import CONFIG, found, record_unless_off, told
from apps.timeline.operations import Document


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigLook:
    """A page of a config's versions, the one that is shown, and the one that stands."""

    agent: Agent
    versions: Sequence[ConfigVersion]
    # Where the next page begins; None at the end.
    older: int | None
    # When the newest of the page was followed by another one; None: it stands.
    until: datetime | None
    standing: ConfigVersion
    shown: ConfigVersion

    @property
    def is_standing(self) -> bool:
        return self.shown.ordinal == self.standing.ordinal

    @property
    def is_same(self) -> bool:
        """Whether rolling back to the one that is shown would change nothing."""
        return self.shown.body_number == self.standing.body_number


def look_at_config(
    *,
    act: Act,
    reference: str,
    version: int | None = None,
    before: int | None = None,
    limit: int,
) -> ConfigLook:
    """Return versions of the config, and what one of them (else the newest) says.

    Raises: AgentNotFound, ConfigVersionNotFound.
    """
    agent, document = found(act, reference)
    standing = configs.newest(document)
    shown = standing if version is None else configs.numbered(document, version)
    versions = configs.page(document, before=before, limit=limit + 1)
    details = {}
    if shown.ordinal != standing.ordinal:
        details["against"] = f"v{standing.ordinal}"
    about = told(
        Operation.CONFIG_READ,
        f"v{shown.ordinal}",
        resource_type=CONFIG,
        details=details,
    )
    record_unless_off(act, document, about)
    return ConfigLook(
        agent=agent,
        versions=versions[:limit],
        older=versions[limit - 1].ordinal if len(versions) > limit else None,
        until=_followed_at(document, versions, standing),
        standing=standing,
        shown=shown,
    )


def rules_of(version: ConfigVersion) -> Rules | None:
    """Return what a version says to this product.

    None where policies were read another way when it was set.
    """
    try:
        return Rules.of(kept_in(version.config))
    except DomainError:
        return None


def _followed_at(
    document: Document, page: Sequence[ConfigVersion], standing: ConfigVersion
) -> datetime | None:
    """Return when the newest version of a page was followed; None if it stands."""
    if not page or page[0].ordinal == standing.ordinal:
        return None
    following = configs.page(document, before=page[0].ordinal + 2, limit=1)
    return following[0].created_at
