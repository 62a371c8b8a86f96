"""LangGraph's checkpointer on Stepback: `pip install stepback[langgraph]`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stepback.langgraph.acting.effects import effect
    from stepback.langgraph.acting.results import ResultNotKept
    from stepback.langgraph.acting.resuming import (
        NoSaver,
        NothingDecided,
        aresume,
        resume,
    )
    from stepback.langgraph.merging import ChannelsClash, NothingToPromote
    from stepback.langgraph.saver import StepbackSaver

__all__ = [
    "ChannelsClash",
    "NoSaver",
    "NothingDecided",
    "NothingToPromote",
    "ResultNotKept",
    "StepbackSaver",
    "aresume",
    "effect",
    "resume",
]

PLACES = {
    "ChannelsClash": "merging",
    "NoSaver": "acting.resuming",
    "NothingDecided": "acting.resuming",
    "NothingToPromote": "merging",
    "ResultNotKept": "acting.results",
    "StepbackSaver": "saver",
    "aresume": "acting.resuming",
    "effect": "acting.effects",
    "resume": "acting.resuming",
}


def __getattr__(name: str) -> Any:
    """Import LangGraph only for who asks for what needs it."""
    if name in PLACES:
        return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    raise AttributeError(name)
