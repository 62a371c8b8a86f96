"""LangGraph's checkpointer on Stepback: `pip install stepback[langgraph]`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stepback.langgraph.effects import effect
    from stepback.langgraph.results import ResultNotKept
    from stepback.langgraph.resuming import NoSaver, NothingDecided, aresume, resume
    from stepback.langgraph.saver import StepbackSaver

__all__ = [
    "NoSaver",
    "NothingDecided",
    "ResultNotKept",
    "StepbackSaver",
    "aresume",
    "effect",
    "resume",
]

PLACES = {
    "NoSaver": "resuming",
    "NothingDecided": "resuming",
    "ResultNotKept": "results",
    "StepbackSaver": "saver",
    "aresume": "resuming",
    "effect": "effects",
    "resume": "resuming",
}


def __getattr__(name: str) -> Any:
    """Import LangGraph only for who asks for what needs it."""
    if name in PLACES:
        return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    raise AttributeError(name)
