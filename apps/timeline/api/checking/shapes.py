"""A bisect as it is answered."""

from __future__ import annotations

from typing import Any

from apps.checks import pointers_of, write_text
from apps.timeline.api.blame import act_object, turn_object
from apps.timeline.api.checking.asked import HOLDS
from apps.timeline.bisect import (
    Bisection,
    End,
    Flip,
    Gone,
    Place,
    write_cursor,
)
from apps.timeline.versions.gone import tombstone_object


def bisect_object(found: Bisection) -> dict[str, Any]:
    """Return the flips, what is known around them, and how far was looked."""
    history = found.history
    return {
        "object": "bisect",
        "session_id": history.last.session_id,
        "check": write_text(found.check),
        "pointers": list(pointers_of(found.check)),
        "lineage": history.window.along.value,
        "whole_state": found.is_of_whole_state,
        "first": _end(found.first),
        "last": _end(found.last),
        "data": [_flip(one) for one in found.flips],
        "flip_count": found.n_flips,
        "first_bad": found.first_bad and _end(found.first_bad),
        "last_good": found.last_good and _end(found.last_good),
        "exact": found.is_exact,
        "covered": found.covered and _span(*found.covered),
        "versions": history.n_versions,
        "candidates": len(history),
        "untouched": history.n_untouched,
        "set_aside": history.n_set_aside,
        "gone": history.n_gone,
        "looked_into": found.looked_into,
        "looked_at": [_end(one) for one in found.seen],
        "removed": [_gone(one) for one in found.gone],
        "unreadable": [_place(one) for one in found.unreadable],
        "hidden_before": history.is_hidden_before,
        "has_more": found.next is not None,
        "next": write_cursor(found.next),
    }


def _place(place: Place) -> dict[str, Any]:
    return {"session_id": place.session_id, "version": place.number}


def _span(first: Place, last: Place) -> dict[str, Any]:
    return {"first": _place(first), "last": _place(last)}


def _end(end: End) -> dict[str, Any]:
    outcome = end.outcome
    return {
        **_place(end.place),
        "outcome": outcome and outcome.value,
        "holds": outcome and HOLDS[outcome],
    }


def _flip(flip: Flip) -> dict[str, Any]:
    version = flip.version
    return {
        "session_id": version.session_id,
        "version": version.number,
        "outcome": flip.outcome.value,
        "holds": HOLDS[flip.outcome],
        "was": flip.was.value,
        "after": _place(flip.after),
        "certain": flip.is_certain,
        "set_aside_by": flip.set_aside_by,
        "op": version.op,
        **act_object(version),
        "release": version.release,
        "model": version.model,
        "step_number": version.step_number,
        "turn": flip.turn and turn_object(flip.turn),
    }


def _gone(gone: Gone) -> dict[str, Any]:
    return {"session_id": gone.session_id, **tombstone_object(gone.tombstone)}
