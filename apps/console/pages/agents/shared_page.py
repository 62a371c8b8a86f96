"""What a version of a shared document says, and how it differs from the one before."""

from __future__ import annotations

from dataclasses import dataclass

from apps.console.pages.session import change_table, version_text
from apps.console.pages.session.change_table import Compared
from apps.timeline.errors import ContentsErased
from apps.timeline.queries import SharedShown
from apps.timeline.versions import CorruptBody, parsed_state, parsed_states

LONGEST = 100_000


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedPage:
    """A state as text, as far as it is shown, or why it is not."""

    text: str = ""
    is_cut: bool = False
    # None where there is no version before it, or nothing to compare with.
    changes: Compared | None = None
    is_corrupt: bool = False
    erased: str = ""


def shared_page(document: SharedShown) -> SharedPage:
    """Return the shown version's state and its changes."""
    try:
        state = parsed_state(document.shown)
    except CorruptBody:
        return SharedPage(is_corrupt=True)
    except ContentsErased as error:
        return SharedPage(erased=error.message)
    text, is_cut = version_text.written_out(state, longest=LONGEST)
    return SharedPage(text=text, is_cut=is_cut, changes=_changes(document))


def _changes(document: SharedShown) -> Compared | None:
    before, after = document.previous, document.shown
    if before is None:
        return None
    try:
        states = parsed_states(before, after)
    except (CorruptBody, ContentsErased):
        return None
    return change_table.compared(*states, n_bytes=before.size + after.size)
