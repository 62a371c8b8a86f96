"""A version of an agent's config beside the one that stands, and what each allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.accounts.models import Project
from apps.console.pages.agents.policy_words import sentences
from apps.console.pages.session import change_table, version_text
from apps.console.pages.session.change_table import Compared
from apps.core import json
from apps.data.browsing import ConfigLook, rules_of
from apps.data.documents.configs import NO_CONFIG, ConfigVersion
from apps.data.documents.enforcing import floor_rules
from apps.diffs.readers import drawn_value, reader
from apps.timeline.queries import Begun, begun_between

LONGEST = 100_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Consequences:
    """What rolling back to the shown version would do to what is allowed."""

    # None where the policies of one of them cannot be read any more.
    begins: Sequence[str] | None
    ends: Sequence[str] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigRow:
    """A version in the list, and how many of the sessions that began with it failed.

    None: it was followed before the sessions that are counted.
    """

    version: ConfigVersion
    begun: Begun | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigPage:
    """The shown version as text, its rules, and how it differs from what stands."""

    text: str
    is_cut: bool
    rules: Sequence[str] | None
    # What the project has beside it.
    floor: Sequence[str]
    changes: Compared | None
    # Whoever looks is not shown all: what looks equal may differ in what is masked.
    is_masked: bool
    consequences: Consequences | None
    rows: Sequence[ConfigRow]
    # Of what sessions are counted: the newest ones, from this moment on; None: all.
    counted_since: datetime | None


def config_page(look: ConfigLook, project: Project) -> ConfigPage:
    rows, since = _rows_of(look, project)
    shown = drawn_value(look.shown.config)
    text, is_cut = version_text.pretty(shown, longest=LONGEST)
    return ConfigPage(
        text=text,
        is_cut=is_cut,
        rules=_rules(look.shown),
        floor=sentences(floor_rules(project.floor)),
        # As rolling back would change it: from what stands to what is shown.
        changes=None if look.is_standing else changes(look.standing, look.shown),
        is_masked=reader() is not None,
        consequences=None
        if look.is_standing
        else consequences(look.standing, look.shown),
        rows=rows,
        counted_since=since,
    )


def _rows_of(
    look: ConfigLook, project: Project
) -> tuple[list[ConfigRow], datetime | None]:
    """Return the versions of the page, with the sessions that began with each."""
    versions = [*look.versions, *([] if look.older else [NO_CONFIG])]
    starts = [one.created_at for one in look.versions if one.created_at]
    ends = [look.until, *starts]
    times = sorted(one for one in ends if one)
    begun = begun_between(project.id, look.agent.id, times=times)
    places = range(len(starts), -1, -1)
    rows = [
        ConfigRow(
            version=version,
            begun=None
            if begun.since and end and end <= begun.since
            else begun.by_place.get(at, Begun()),
        )
        for version, end, at in zip(versions, ends, places, strict=False)
    ]
    return rows, begun.since


def changes(before: ConfigVersion, after: ConfigVersion) -> Compared:
    """Compare two versions of a config, as whoever looks may see them."""
    # Drawn first: a change shows parts of a text, in which no mask finds the whole.
    return change_table.compared(
        json.parse_written(drawn_value(before.config)),
        json.parse_written(drawn_value(after.config)),
        n_bytes=len(before.config) + len(after.config),
    )


def consequences(before: ConfigVersion, after: ConfigVersion) -> Consequences:
    """Say which rules end and which begin, where one config follows another."""
    now, then = _rules(before), _rules(after)
    if now is None or then is None:
        return Consequences(begins=None, ends=None)
    return Consequences(
        begins=[one for one in then if one not in now],
        ends=[one for one in now if one not in then],
    )


def _rules(version: ConfigVersion) -> list[str] | None:
    rules = rules_of(version)
    return None if rules is None else sentences(rules)
