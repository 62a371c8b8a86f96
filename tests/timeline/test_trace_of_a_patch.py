"""Hold what one PATCH passes through to a number that a reader can follow."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from tests.live import ROOT
from tests.timeline.runs import Begin

TIMELINE = ROOT / "apps" / "timeline"
# They may only shrink.
MOST_FUNCTIONS = 75
MOST_MODULES = 14
MOST_LINES = 40
# What Python makes of an expression, and what runs at import, is nobody's function.
pytestmark = pytest.mark.django_db
UNNAMED = ("<listcomp>", "<dictcomp>", "<genexpr>", "<setcomp>", "<lambda>", "<module>")


def traced(act: Callable[[], Any]) -> set[CodeType]:
    """Return the code of the timeline's functions that the act calls."""
    found: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(TIMELINE)):
            found.add(code)

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return {code for code in found if code.co_name not in UNNAMED}


def test_a_patch_passes_few_functions_in_few_modules(begin: Begin) -> None:
    run = begin({"step": 0, "city": "Rome"})
    run.patch({"step": 1})  # what is made once is made
    found = traced(lambda: run.patch({"step": 2}, reasoning="It went on."))

    places = {(code.co_filename, code.co_qualname) for code in found}
    modules = {str(Path(file).relative_to(TIMELINE)) for file, _ in places}
    long = [code for code in found if len(inspect.getsourcelines(code)[0]) > MOST_LINES]
    assert len(places) <= MOST_FUNCTIONS, sorted(places)
    assert len(modules) <= MOST_MODULES, sorted(modules)
    assert not long
