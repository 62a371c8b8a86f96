"""What was done with an incident, entry by entry, in words."""

from __future__ import annotations

from collections.abc import Callable

from apps.incidents.models import Entry
from apps.incidents.seeing import hides_check
from apps.incidents.words import Deed

DEEDS = {
    Deed.OPENED: "opened it, with the sessions that were collected",
    Deed.TITLED: "changed the title to {text}",
    Deed.STATUS: "set it to {text}",
    Deed.OWNER: "gave it to {text}",
    Deed.CHECK: "had the sessions checked: {text}",
    Deed.REMOVED: "took out the session {session}",
    Deed.ADDED: "added {text}",
    Deed.NOTED: "wrote:",
}
NOTHING = {
    Deed.TITLED: "changed the title; what it was is erased",
    Deed.OWNER: "gave it to nobody",
    Deed.CHECK: "had the sessions checked for nothing any more",
    Deed.REMOVED: "took out a session that was removed since",
    Deed.NOTED: "wrote what is erased",
}
HIDDEN = "had the sessions checked for what masks cover"


def words_of(entry: Entry, text: Callable[[str], str]) -> str:
    """Tell of one entry; what was written in it is what `text` makes of it."""
    deed = Deed(entry.deed)
    told = entry.session_id if deed is Deed.REMOVED else entry.text
    if told is None and deed in NOTHING:
        return NOTHING[deed]
    if deed is Deed.CHECK and hides_check(told or ""):
        return HIDDEN
    return DEEDS[deed].format(text=text(entry.text or ""), session=text(told or ""))
