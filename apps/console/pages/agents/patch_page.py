"""A patch that an agent has proposed: as JSON, and what it would change."""

from __future__ import annotations

from dataclasses import dataclass

from apps.agents.acts import Act
from apps.console.pages.session import change_table, version_text
from apps.console.pages.session.change_table import Compared
from apps.core import json
from apps.memory import operations as memory
from apps.memory.documents.contents import Content
from apps.memory.operations import PatchPreview


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownPatch:
    """A proposed patch; without a preview it is no longer to be decided about."""

    text: str
    is_cut: bool
    preview: PatchPreview | None = None
    changes: Compared | None = None


def shown_patch(act: Act, content: Content) -> ShownPatch | None:
    """Return what a page shows of a patch; None of any other memory.

    Raises: SessionNotFound.
    """
    if not content.is_patch:
        return None
    text, is_cut = version_text.pretty(json.dumps(dict(content.metadata["patch"])))
    if content.taken_version is not None:
        return ShownPatch(text=text, is_cut=is_cut)
    preview = memory.preview_patch(act=act, content=content)
    changes = change_table.compared(
        preview.before, preview.after, n_bytes=preview.n_bytes
    )
    return ShownPatch(text=text, is_cut=is_cut, preview=preview, changes=changes)
